// Reads AdaptDL's files.
#include "calibrate/imports/adaptdl.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "files/csv_rows.hpp"
#include "files/text_file.hpp"

namespace calibrate::imports {

// Reading of AdaptDL's validation files.

namespace {

using netmodels::refuse;
using netmodels::Result;

constexpr std::string_view header = "progress,iteration,metric,grad_sqr,grad_var";
constexpr std::size_t width = 5;

/// The number that the file's name ends in.
std::optional<double> batch_in(std::string_view name) {
  constexpr std::string_view ending = ".csv";
  if (name.ends_with(ending)) name.remove_suffix(ending.size());
  std::size_t begin = name.size();
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1])) != 0) --begin;
  const auto batch = files::read_number(name.substr(begin));
  return batch && *batch >= 1 ? batch : std::nullopt;
}

Result<std::array<double, width>> read_cells(std::string_view line, const std::string& source, int number) {
  std::array<double, width> values{};
  std::string_view rest = line;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t comma = rest.find(',');
    const bool is_last = i + 1 == width;
    if ((comma == std::string_view::npos) != is_last) {
      return refuse(files::place(source, number, 1), "expected five cells",
                    fmt::format("a row is {}", header));
    }
    const std::string_view cell = rest.substr(0, comma);
    const auto value = files::read_number(cell);
    if (!value || !std::isfinite(*value)) {
      const auto column = static_cast<int>(cell.data() - line.data()) + 1;
      return refuse(files::place(source, number, column), fmt::format("`{}` is not a number", cell),
                    "accepted: a finite number");
    }
    values[i] = *value;
    rest = is_last ? std::string_view{} : rest.substr(comma + 1);
  }
  return values;
}

}  // namespace

bool is_adaptdl(std::string_view text) {
  const auto lines = files::lines_of(text.substr(0, text.find('\n')));
  return !lines.empty() && files::trimmed(lines.front()) == header;
}

Result<AdaptdlRun> import_adaptdl(std::string_view text, const std::string& source) {
  if (!is_adaptdl(text)) {
    return refuse(files::place(source, 1, 1), "this is not the header of a validation file",
                  fmt::format("it is {}", header));
  }
  const auto batch = batch_in(source);
  if (!batch)
    return refuse(source, "the file name does not end in a batch", "name it as in `validation-1024.csv`");
  AdaptdlRun run{source, *batch, {}};
  int number = 0;
  for (const std::string_view line : files::lines_of(text)) {
    ++number;
    if (number == 1 || files::trimmed(line).empty()) continue;
    GRADSIM_TRY(cells, read_cells(line, source, number));
    const auto& [progress, iteration, metric, grad_sqr, grad_var] = *cells;
    if (iteration < 0 || (!run.rows.empty() && iteration <= run.rows.back().iteration)) {
      return refuse(files::place(source, number, 1), fmt::format("iteration {} does not increase", iteration),
                    "write the rows in their order");
    }
    run.rows.push_back({progress, iteration, metric, grad_sqr, grad_var});
  }
  if (run.rows.empty()) return refuse(source, "no rows found", "give a training's validation file");
  if (!text.ends_with('\n'))
    return refuse(files::place(source, number, 1), "the last line has no line end: a number in it may be cut",
                  "use the complete file, or end it with a line break");
  return run;
}

std::optional<double> initial_batch(std::span<const AdaptdlRun> runs) {
  constexpr double most_difference = 1.5;  // steps: iteration counts from 0, or from 1
  std::optional<double> found;
  for (const AdaptdlRun& run : runs) {
    const AdaptdlRow& last = run.rows.back();
    if (std::abs(last.progress - last.iteration) > most_difference) continue;
    if (found && *found != run.batch) return std::nullopt;
    found = run.batch;
  }
  return found;
}

Result<fits::TrainingRun> training_of(const AdaptdlRun& run, std::optional<double> initial, double unit) {
  fits::TrainingRun training;
  training.file = run.file;
  training.batch = run.batch;
  for (const AdaptdlRow& row : run.rows) {
    const double metric = row.metric * unit;
    if (metric < 0 || metric > 1) {
      return refuse(run.file, fmt::format("the metric {} is not a share", row.metric),
                    "accepted: 0 to 1, or 0 to 100 with --percent");
    }
    fits::TrainingRow& added = training.rows.emplace_back();
    added.step = row.iteration + 1;
    added.metric = metric;
    if (row.grad_sqr <= 0 || row.grad_var <= 0) continue;
    added.squared_norm = row.grad_sqr;
    if (initial) added.noise_scale = *initial * row.grad_var / row.grad_sqr;
  }
  return training;
}

// AdaptDL's step times per placement and local batch.

namespace {

using netmodels::Result;

constexpr double least_time = 1e-9;  // seconds
constexpr std::array<std::string_view, 4> counted_columns = {"num_nodes", "num_replicas", "local_bsz",
                                                             "step_time"};
constexpr std::array<std::string_view, 3> listed_columns = {"placement", "local_bsz", "step_time"};

Result<AdaptdlStep> read_counted(const files::CsvRow& row, std::string_view source) {
  GRADSIM_TRY(nodes, files::count_in(row, 0, source));
  GRADSIM_TRY(replicas, files::count_in(row, 1, source));
  GRADSIM_TRY(batch, files::number_in(row, 2, 1, source));
  GRADSIM_TRY(time, files::number_in(row, 3, least_time, source));
  const fits::Placement placement{*nodes, *replicas, *batch};
  return AdaptdlStep{fmt::format("{} x {}", placement.nodes, placement.replicas), {placement, {*time}}};
}

Result<AdaptdlStep> read_listed(const files::CsvRow& row, std::string_view source) {
  const std::string_view digits = row.cells[0];
  const bool is_list =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '1' && c <= '9'; });
  if (!is_list)
    return netmodels::refuse(files::place_of(row, 0, source),
                             fmt::format("`{}` in column `{}` is not a placement", digits, listed_columns[0]),
                             "a digit from 1 to 9 for the GPUs of each node");
  fits::Placement placement{static_cast<int>(digits.size()), 0, 1};
  for (const char digit : digits) placement.replicas += digit - '0';
  GRADSIM_TRY(batch, files::number_in(row, 1, 1, source));
  GRADSIM_TRY(time, files::number_in(row, 2, least_time, source));
  placement.local_batch = *batch;
  return AdaptdlStep{std::string(digits), {placement, {*time}}};
}

}  // namespace

Result<std::vector<AdaptdlStep>> read_adaptdl_placements(std::string_view text, std::string_view source) {
  const bool is_counted = text.starts_with(counted_columns.front());
  GRADSIM_TRY(rows, is_counted ? files::read_csv_rows(text, counted_columns, source)
                               : files::read_csv_rows(text, listed_columns, source));
  std::vector<AdaptdlStep> steps;
  for (const files::CsvRow& row : *rows) {
    GRADSIM_TRY(step, is_counted ? read_counted(row, source) : read_listed(row, source));
    steps.push_back(std::move(*step));
  }
  return steps;
}

}  // namespace calibrate::imports
