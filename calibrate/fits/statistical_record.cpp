// Reading of records for fits.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "calibrate/fits/statistical_run.hpp"
#include "files/text_file.hpp"

namespace calibrate::fits {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr double no_bound = std::numeric_limits<double>::infinity();

struct Column {
  std::string_view name;
  std::optional<double> TrainingRow::*target;
  double most;
};

constexpr std::array row_columns{
    Column{"accuracy", &TrainingRow::metric, 1},
    Column{"loss", &TrainingRow::loss, no_bound},
    Column{"test_loss", &TrainingRow::test_loss, no_bound},
    Column{"noise_scale", &TrainingRow::noise_scale, no_bound},
    Column{"mean_squared_norm", &TrainingRow::squared_norm, no_bound},
};

/// Ratio after `gain_` or `gain_raw_`.
std::optional<MeasuredGain> gain_of(std::string_view name) {
  for (const bool error_feedback : {false, true}) {
    const std::string_view begin = error_feedback ? "gain_" : "gain_raw_";
    if (!name.starts_with(begin)) continue;
    const auto ratio = files::read_number(name.substr(begin.size()));
    if (!ratio || !(*ratio > 0 && *ratio < 1)) return std::nullopt;
    return MeasuredGain{"", *ratio, error_feedback, 0};
  }
  return std::nullopt;
}

/// Mean of the cells of one column of gains.
struct GainColumn {
  MeasuredGain gain;
  int count = 0;
};

/// The rows read so far, and the current position.
class RecordReader {
 public:
  explicit RecordReader(const std::string& source) { run_.file = source; }

  Result<void> line(std::string_view text) {
    ++line_;
    begin_ = text.data();
    if (files::trimmed(text).empty()) return {};
    if (text.starts_with('#')) return fact(text.substr(1));
    return names_.empty() ? header(files::cells_of(text)) : row(files::cells_of(text));
  }

  Result<TrainingRun> finish();

 private:
  [[nodiscard]] std::string here(std::string_view cell) const {
    return files::place(run_.file, line_, static_cast<int>(cell.data() - begin_) + 1);
  }

  Result<void> fact(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || !names_.empty()) return {};
    run_.facts.emplace_back(files::trimmed(text.substr(0, colon)), files::trimmed(text.substr(colon + 1)));
    return {};
  }

  Result<void> header(const std::vector<std::string_view>& names) {
    for (const std::string_view needed : {"step", "accuracy"}) {
      if (std::ranges::find(names, needed) == names.end()) {
        return refuse(here(names.front()), fmt::format("column `{}` is missing", needed),
                      "give a record of a training, or a validation file of AdaptDL");
      }
    }
    for (const std::string_view name : names) {
      names_.emplace_back(name);
      if (const auto gain = gain_of(name)) gains_[names_.back()] = {*gain, 0};
    }
    return {};
  }

  Result<void> row(const std::vector<std::string_view>& cells);
  Result<void> cell(const std::string& name, std::string_view text);
  /// @returns the number of a cell, or an Error for one outside [0, most]
  [[nodiscard]] Result<double> cell_value(const std::string& name, std::string_view text, double most) const;
  [[nodiscard]] std::string fact_of(std::string_view key) const;
  Result<double> count_of(std::string_view key) const;
  Result<void> read_compression();
  Result<void> finish_gains();
  void finish_norms();

  TrainingRun run_;
  int line_ = 0;
  const char* begin_ = nullptr;
  std::vector<std::string> names_;
  std::map<std::string, GainColumn> gains_;
};

Result<void> RecordReader::row(const std::vector<std::string_view>& cells) {
  if (cells.size() != names_.size()) {
    return refuse(here(cells.front()), fmt::format("the row has {} cells", cells.size()),
                  fmt::format("one for each of the {} columns", names_.size()));
  }
  const double before = run_.rows.empty() ? -1 : run_.rows.back().step;
  run_.rows.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (auto read = cell(names_[i], cells[i]); !read) return read;
    if (names_[i] == "step" && (cells[i].empty() || run_.rows.back().step <= before)) {
      return refuse(here(cells[i]), fmt::format("step `{}` does not increase", cells[i]),
                    "write the steps in their order, each once");
    }
  }
  return {};
}

Result<double> RecordReader::cell_value(const std::string& name, std::string_view text, double most) const {
  const auto value = files::read_number(text);
  if (value && std::isfinite(*value) && *value >= 0 && *value <= most) return *value;
  return refuse(here(text), fmt::format("`{}` is `{}`", name, text),
                std::isinf(most) ? "accepted: a number of at least 0" : "accepted: a number from 0 to 1");
}

Result<void> RecordReader::cell(const std::string& name, std::string_view text) {
  const auto column = std::ranges::find(row_columns, name, &Column::name);
  const auto gain = gains_.find(name);
  if (name != "step" && column == row_columns.end() && gain == gains_.end()) return {};
  if (text.empty()) return {};
  GRADSIM_TRY(value, cell_value(name, text, column == row_columns.end() ? no_bound : column->most));
  if (name == "step") run_.rows.back().step = *value;
  if (column != row_columns.end()) run_.rows.back().*column->target = *value;
  if (gain == gains_.end()) return {};
  gain->second.gain.gain += *value;
  ++gain->second.count;
  return {};
}

std::string RecordReader::fact_of(std::string_view key) const {
  const auto fact = std::ranges::find(run_.facts, key, [](const auto& pair) { return pair.first; });
  return fact == run_.facts.end() ? "" : fact->second;
}

Result<double> RecordReader::count_of(std::string_view key) const {
  const std::string text = fact_of(key);
  const auto count = files::read_number(text);
  if (count && std::isfinite(*count) && *count >= 1 && *count == std::floor(*count)) return *count;
  return refuse(run_.file, fmt::format("the fact `{}` is missing or not a whole number above 0", key),
                fmt::format("add a line `# {}: ...` above the table", key));
}

Result<void> RecordReader::read_compression() {
  const std::string phrase = fact_of("compression");
  std::string_view rest = phrase;
  const auto take_ending = [&rest](std::string_view ending) {
    const bool has = rest.ends_with(ending);
    if (has) rest.remove_suffix(ending.size());
    return has;
  };
  run_.error_feedback = !take_ending(" without error feedback");
  const bool by_variance = take_ending(" by variance");
  const std::size_t blank = rest.find(' ');
  run_.method = std::string(rest.substr(0, blank)) + (by_variance ? "_by_variance" : "");
  if (phrase == "none") return {};
  const auto ratio =
      blank == std::string_view::npos ? std::nullopt : files::read_number(rest.substr(blank + 1));
  if (!ratio || !(*ratio > 0 && *ratio <= 1)) {
    return refuse(run_.file, fmt::format("the fact `compression` is `{}`", phrase),
                  "accepted: none, or a method and its ratio in (0, 1], such as `topk 0.01`");
  }
  run_.ratio = *ratio;
  return {};
}

Result<void> RecordReader::finish_gains() {
  const std::string method = fact_of("gains_of");
  for (const auto& [name, column] : gains_) {
    if (column.count == 0) continue;
    if (method.empty()) {
      return refuse(run_.file, "the fact `gains_of` is missing",
                    "add a line `# gains_of: topk` above the table");
    }
    MeasuredGain gain = column.gain;
    gain.method = method;
    gain.gain /= column.count;
    run_.gains.push_back(gain);
  }
  return {};
}

/// Turns the mean gradient's norm, which holds the noise of the batch, into the true gradient's.
void RecordReader::finish_norms() {
  for (TrainingRow& row : run_.rows) {
    const bool is_known =
        row.squared_norm && row.noise_scale && *row.noise_scale > 0 && !run_.is_compressed();
    if (is_known && *row.squared_norm > 0) {
      *row.squared_norm /= 1 + *row.noise_scale / run_.batch;
    } else {
      row.squared_norm.reset();
    }
    if (row.noise_scale && *row.noise_scale <= 0) row.noise_scale.reset();
  }
}

Result<TrainingRun> RecordReader::finish() {
  if (run_.rows.empty()) return refuse(run_.file, "no rows found", "give a record of a training");
  GRADSIM_TRY(workers, count_of("workers"));
  GRADSIM_TRY(batch, count_of("batch"));
  run_.batch = *workers * *batch;
  if (auto read = read_compression(); !read) return tl::unexpected(read.error());
  if (auto read = finish_gains(); !read) return tl::unexpected(read.error());
  finish_norms();
  return std::move(run_);
}

}  // namespace

Result<TrainingRun> read_training(std::string_view text, const std::string& source) {
  RecordReader reader(source);
  for (const std::string_view line : files::lines_of(text)) {
    if (const auto read = reader.line(line); !read) return tl::unexpected(read.error());
  }
  return reader.finish();
}

}  // namespace calibrate::fits
