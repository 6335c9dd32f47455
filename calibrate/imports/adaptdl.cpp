// Reading of AdaptDL's validation files.
#include "calibrate/imports/adaptdl.hpp"

#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/files/text_file.hpp"

namespace calibrate::imports {
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
      return refuse(files::place(source, number, 1), "the row has not five cells",
                    fmt::format("a row is {}", header));
    }
    const std::string_view cell = rest.substr(0, comma);
    const auto value = files::read_number(cell);
    if (!value || !std::isfinite(*value)) {
      const auto column = static_cast<int>(cell.data() - line.data()) + 1;
      return refuse(files::place(source, number, column), fmt::format("`{}` is no number", cell),
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
    return refuse(files::place(source, 1, 1), "this is no header of a validation file",
                  fmt::format("it is {}", header));
  }
  const auto batch = batch_in(source);
  if (!batch)
    return refuse(source, "the file's name does not end in a batch", "name it as in `validation-1024.csv`");
  AdaptdlRun run{source, *batch, {}};
  int number = 0;
  for (const std::string_view line : files::lines_of(text)) {
    ++number;
    if (number == 1 || files::trimmed(line).empty()) continue;
    GRADSIM_TRY(cells, read_cells(line, source, number));
    const auto& [progress, iteration, metric, grad_sqr, grad_var] = *cells;
    if (iteration < 0 || (!run.rows.empty() && iteration <= run.rows.back().iteration)) {
      return refuse(files::place(source, number, 1), fmt::format("iteration {} does not rise", iteration),
                    "write the rows in their order");
    }
    run.rows.push_back({progress, iteration, metric, grad_sqr, grad_var});
  }
  if (run.rows.empty()) return refuse(source, "there are no rows", "give a training's validation file");
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
      return refuse(run.file, fmt::format("the metric {} is no share", row.metric),
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

}  // namespace calibrate::imports
