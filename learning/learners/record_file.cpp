// Reading and writing of records.
#include "learning/learners/record_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "files/input_file.hpp"
#include "learning/learners/record_curve.hpp"

namespace learning::learners {
namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view change_window = "relative_change_window";
constexpr std::string_view change_smoothing = "relative_change_smoothing";
constexpr std::array<std::string_view, 11> own_facts = {
    "model",    "data_set", "data_set_samples", "workers",     "batch",         "compression",
    "gains_of", "source",   "licence",          change_window, change_smoothing};

Result<void> read_texts(const std::vector<Fact>& facts, const std::string& source, RecordFacts& read) {
  const std::array<std::pair<std::string_view, std::string*>, 4> texts{{{"model", &read.model},
                                                                        {"data_set", &read.data_set},
                                                                        {"source", &read.source},
                                                                        {"licence", &read.licence}}};
  for (const auto& [key, target] : texts) {
    GRADSIM_TRY(value, required_fact(facts, key, source));
    *target = std::move(*value);
  }
  return {};
}

Result<RecordFacts> read_facts(const std::vector<Fact>& facts, const std::string& source) {
  RecordFacts read;
  if (const auto texts = read_texts(facts, source, read); !texts) return tl::unexpected(texts.error());
  GRADSIM_TRY(samples, required_count(facts, "data_set_samples", source));
  read.data_set_samples = *samples;
  for (const auto& [key, target] : {std::pair{"workers", &read.workers}, std::pair{"batch", &read.batch}}) {
    GRADSIM_TRY(count, required_count(facts, key, source));
    if (*count > std::numeric_limits<int>::max())
      return refuse(source, fmt::format("the fact `{}` is {}", key, *count), "accepted: at most 2147483647");
    *target = static_cast<int>(*count);
  }
  GRADSIM_TRY(phrase, required_fact(facts, "compression", source));
  const auto compression = parse_compression(*phrase);
  if (!compression)
    return refuse(source, "the fact `compression`: " + compression.error().what, compression.error().hint);
  read.compression = *compression;
  for (const Fact& fact : facts) {
    if (std::ranges::find(own_facts, fact.key) == own_facts.end()) read.others.push_back(fact);
  }
  return read;
}

/// The number of the step of this row, above the one before.
Result<double> read_step(const RecordLines& lines, std::size_t cell, double before) {
  constexpr double most_steps = 1e15;
  GRADSIM_TRY(step, lines.number(cell, "step", 0, most_steps));
  if (!*step || **step != std::floor(**step)) {
    return refuse(lines.place(cell), fmt::format("`step` is `{}`", lines.cells()[cell]),
                  "accepted: a whole number of at least 0");
  }
  if (**step <= before) {
    return refuse(lines.place(cell), fmt::format("step {} does not come after step {}", **step, before),
                  "write the steps in their order, each once");
  }
  return **step;
}

Result<void> read_row(const RecordLines& lines, const std::vector<RecordColumn>& columns,
                      std::size_t step_column, double& step) {
  if (lines.cells().size() != columns.size()) {
    return refuse(lines.place(), fmt::format("the row has {} cells", lines.cells().size()),
                  fmt::format("one for each of the {} columns", columns.size()));
  }
  GRADSIM_TRY(next, read_step(lines, step_column, step));
  step = *next;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].curve == nullptr) continue;
    GRADSIM_TRY(value, lines.number(i, columns[i].name, columns[i].least, columns[i].most));
    if (*value) columns[i].curve->push_back({step, **value});
  }
  return {};
}

/// How the column `relative_change` was measured.
Result<policies::ChangeMeasure> read_change_measure(const std::vector<Fact>& facts,
                                                    const std::string& source) {
  GRADSIM_TRY(window, required_count(facts, change_window, source));
  GRADSIM_TRY(text, required_fact(facts, change_smoothing, source));
  const auto smoothing = read_finite(*text);
  if (smoothing && *smoothing > 0 && *smoothing <= 1)
    return policies::ChangeMeasure{static_cast<std::size_t>(*window), *smoothing};
  return refuse(source, fmt::format("the fact `{}` is `{}`", change_smoothing, *text),
                "accepted: a number above 0 and at most 1");
}

/// Refuses a record that no step could be replayed from.
Result<void> check_measured(const Record& record, const std::string& source) {
  const bool has_worker_norms =
      !record.squared_norms.empty() &&
      std::ranges::none_of(record.squared_norms, [](const Curve& curve) { return curve.empty(); });
  if (!has_worker_norms && (record.squared_norm.empty() || !record.squared_norms.empty())) {
    return refuse(source, "the squared norms of a worker are missing in all steps",
                  "record them in one at least");
  }
  if (!record.gains.empty() && record.gains_of.empty())
    return refuse(source, "the fact `gains_of` is missing", "add a line `# gains_of: topk` above the table");
  return {};
}

void print_facts(const Record& record, std::string& text) {
  const RecordFacts& facts = record.facts;
  text += fmt::format("# model: {}\n# data_set: {}\n# data_set_samples: {}\n# workers: {}\n# batch: {}\n",
                      facts.model, facts.data_set, facts.data_set_samples, facts.workers, facts.batch);
  text += fmt::format("# compression: {}\n", print_compression(facts.compression));
  if (!record.gains_of.empty()) text += fmt::format("# gains_of: {}\n", record.gains_of);
  text += fmt::format("# source: {}\n# licence: {}\n", facts.source, facts.licence);
  if (record.change_measure) {
    text += fmt::format("# {}: {}\n# {}: {}\n", change_window, record.change_measure->window,
                        change_smoothing, record.change_measure->smoothing);
  }
  for (const Fact& fact : facts.others) text += fmt::format("# {}: {}\n", fact.key, fact.value);
}

/// Every step in which anything was measured, rising.
std::vector<double> steps_of(const std::vector<RecordColumn>& columns) {
  std::vector<double> steps;
  for (const RecordColumn& column : columns) {
    if (column.curve == nullptr) continue;
    for (const Knot& knot : *column.curve) steps.push_back(knot.at);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

Result<Record> parse_record(std::string_view text, const std::string& source) {
  RecordLines lines(text, source);
  if (!lines.next()) {
    return refuse(source, "the file has no table",
                  "begin it with facts, then a header `step,squared_norm,...`");
  }
  Record record;
  GRADSIM_TRY(facts, read_facts(lines.facts(), source));
  record.facts = *facts;
  if (const auto gains_of = required_fact(lines.facts(), "gains_of", source)) record.gains_of = *gains_of;
  GRADSIM_TRY(columns, read_columns(lines, record));
  const auto step_column =
      static_cast<std::size_t>(std::ranges::find(*columns, nullptr, &RecordColumn::curve) - columns->begin());
  double step = -1;
  while (lines.next()) {
    if (const auto row = read_row(lines, *columns, step_column, step); !row)
      return tl::unexpected(row.error());
  }
  if (!record.relative_change.empty()) {
    GRADSIM_TRY(measure, read_change_measure(lines.facts(), source));
    record.change_measure = *measure;
  }
  std::erase_if(record.gains, [](const RecordedGain& gain) { return gain.by_step.empty(); });
  if (const auto checked = check_measured(record, source); !checked) return tl::unexpected(checked.error());
  return record;
}

Result<Record> read_record(const std::filesystem::path& path) {
  GRADSIM_TRY(text, files::read_text(path, {most_record_bytes}));
  return parse_record(*text, path.string());
}

std::string print_record(const Record& record) {
  Record printed = record;
  const std::vector<RecordColumn> columns = columns_of(printed);
  std::string text;
  print_facts(record, text);
  for (const RecordColumn& column : columns) text += (&column == &columns.front() ? "" : ",") + column.name;
  text += "\n";
  std::vector<std::size_t> next(columns.size(), 0);
  for (const double step : steps_of(columns)) {
    text += fmt::format("{:.0f}", step);
    for (std::size_t i = 1; i < columns.size(); ++i) {
      text += ",";
      const Curve& curve = *columns[i].curve;
      if (next[i] < curve.size() && curve[next[i]].at == step)
        text += fmt::format("{}", curve[next[i]++].value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace learning::learners
