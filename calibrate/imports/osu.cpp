// Import of what the OSU Micro-Benchmarks measured.
#include "calibrate/imports/osu.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "files/text_file.hpp"
#include "netmodels/nearest.hpp"

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view headline = "# OSU ";
constexpr std::string_view latency_test = "Latency Test";

/// `# OSU MPI-CUDA Allreduce Latency Test v7.3`: the tested operation; empty for ping-pong between two ranks.
std::string_view tested(std::string_view line) {
  const std::size_t layer_end = line.find(' ', headline.size());  // after MPI, MPI-CUDA, NCCL
  const std::size_t end = line.find(latency_test);
  if (layer_end == std::string_view::npos || end == std::string_view::npos)
    return line.substr(headline.size());
  return end <= layer_end ? std::string_view{} : files::trimmed(line.substr(layer_end, end - layer_end));
}

Result<const measurements::Operation*> operation_of(std::string_view line, const std::string& where) {
  const std::string_view name = tested(line);
  if (name.empty()) return measurements::find_operation("point_to_point");
  std::vector<std::string_view> known = {latency_test};
  for (const measurements::Operation& operation : measurements::operations()) {
    if (operation.osu == name) return &operation;
    if (!operation.osu.empty()) known.push_back(operation.osu);
  }
  return refuse(where, fmt::format("the times of test `{}` cannot be used", name),
                netmodels::accepted_names(name, known));
}

class OsuReader {
 public:
  OsuReader(const std::string& source, const LogHints& hints) : source_(source), hints_(hints) {}

  Result<void> line(std::string_view text) {
    ++line_;
    text = files::trimmed(files::without_mpirun_prefix(text));
    if (text.starts_with(headline)) return begin(text);
    if (text.starts_with('#') && text.find("Size") != std::string_view::npos) return columns(text);
    const auto words = files::words_of(text);
    if (words.empty() || !files::read_integer(words.front().text)) return {};
    if (imported_.measured.operation != nullptr) return row(words);
    if (early_row_ == 0 && words.size() > 1 && files::read_number(words[1].text)) early_row_ = line_;
    return {};
  }

  /// A last line without its `\n`: a number in it may be cut, so that a row is left out.
  Result<void> last_line(std::string_view text) {
    const std::string_view bare = files::trimmed(files::without_mpirun_prefix(text));
    const auto words = files::words_of(bare);
    if (words.empty() || !files::read_integer(words.front().text)) return line(text);
    cut_ = fmt::format("1 row skipped: the log ends in line {} without a line break, `{}` may be cut",
                       ++line_, bare);
    return {};
  }

  Result<Imported> finish() {
    measurements::Measurements& measured = imported_.measured;
    if (measured.operation == nullptr)
      return refuse(source_, "no line `# OSU MPI ... Latency Test` found", "use the output of an OSU test");
    if (zero_ > 0) imported_.skipped.push_back(counted_rows(zero_) + " skipped: size 0");
    if (failed_ > 0) imported_.skipped.push_back(counted_rows(failed_) + " skipped: failed validation");
    if (cut_) imported_.skipped.push_back(*cut_);
    if (measured.points.empty()) return refuse(source_, "no rows found", "use the complete log");
    if (const auto checked = check(measured); !checked)
      return refuse(source_, checked.error().what, checked.error().hint);
    return std::move(imported_);
  }

 private:
  [[nodiscard]] std::string here(int column = 1) const { return files::place(source_, line_, column); }

  Result<void> begin(std::string_view text);
  Result<void> columns(std::string_view text);
  Result<void> row(const std::vector<files::Word>& words);

  const std::string& source_;
  const LogHints& hints_;
  int line_ = 0;
  int early_row_ = 0;  // line of two numbers above the test's first line; 0: none
  std::size_t words_per_row_ = 0;
  int zero_ = 0;
  int failed_ = 0;
  std::optional<std::string> cut_;  // the last row, where it is left out
  Imported imported_;
};

Result<void> OsuReader::begin(std::string_view text) {
  measurements::Measurements& measured = imported_.measured;
  if (measured.operation != nullptr)
    return refuse(here(), "second test in one file", "use a separate file for each run of a test");
  if (early_row_ > 0)
    return refuse(files::place(source_, early_row_, 1), "a row above the first line of its test",
                  "use the unmodified output of the test");
  GRADSIM_TRY(operation, operation_of(text, here()));
  if (hints_.operation != nullptr && hints_.operation != *operation)
    return refuse(here(), fmt::format("the log is of {}, but --collective is {}", (*operation)->name,
                                      hints_.operation->name));
  const bool pair = (*operation)->name == "point_to_point";
  if (!pair && !hints_.ranks)
    return refuse(source_, "OSU does not print its ranks", "state their number by --ranks");
  if (pair && hints_.ranks.value_or(2) != 2)
    return refuse(here(), "mixed ranks: this test has 2", "leave out --ranks");
  measured.operation = *operation;
  measured.ranks = hints_.ranks.value_or(2);
  measured.nodes = hints_.nodes;
  measured.facts.tool = std::string(text.substr(2));
  measured.facts.source = files::file_name(source_);
  return {};
}

Result<void> OsuReader::columns(std::string_view text) {
  if (text.find("Latency") != std::string_view::npos && text.find("(us)") != std::string_view::npos)
    return {};
  return refuse(here(), fmt::format("`{}` has no latency in microseconds", files::trimmed(text.substr(1))),
                "accepted: `# Size  Avg Latency(us)`");
}

Result<void> OsuReader::row(const std::vector<files::Word>& words) {
  if (words_per_row_ == 0) words_per_row_ = words.size();
  if (words.size() < 2 || words.size() < words_per_row_)
    return refuse(here(), "the row is truncated", "use the complete log");
  const auto time_us = files::read_number(words[1].text);
  if (!time_us || !std::isfinite(*time_us)) {
    return refuse(here(words[1].column), fmt::format("`{}` is not a latency", words[1].text),
                  "accepted: microseconds");
  }
  measurements::Measurements& measured = imported_.measured;
  const double parts = measured.operation->osu_counts_one_rank ? measured.ranks : 1;
  const measurements::MeasuredPoint point{{*files::read_number(words[0].text) * parts}, {*time_us / 1e6}};
  const bool failed = std::ranges::any_of(words, [](const files::Word& word) { return word.text == "Fail"; });
  if (point.size.count == 0)
    ++zero_;
  else if (failed)
    ++failed_;
  else if (const auto next = measurements::check_next(measured.points, point); !next)
    return refuse(here(), next.error().what, next.error().hint);
  else
    measured.points.push_back(point);
  return {};
}

}  // namespace

Result<Imported> import_osu(std::string_view text, const std::string& source, const LogHints& hints) {
  OsuReader reader(source, hints);
  const auto lines = files::lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool whole = i + 1 < lines.size() || text.ends_with('\n');
    GRADSIM_TRY(read, whole ? reader.line(lines[i]) : reader.last_line(lines[i]));
  }
  return reader.finish();
}

}  // namespace calibrate::imports
