// Reads the figures of an arm out of the rows of each seed.
#include "sim/report/seed_figures.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "netmodels/percent.hpp"
#include "netmodels/unit.hpp"
#include "sim/report/cost.hpp"
#include "sim/report/metric.hpp"

namespace sim::report {

using command_line::Table;

Table whole_run_rows(const SimulatedStudy& study) {
  std::vector<RunPart> rows;
  for (const SimulatedArm& arm : study.arms) rows.push_back({&study, &arm, &arm.result.whole, true});
  return metric_table(rows, in_sweeps);
}

std::optional<double> figure_in(const Table& rows, const std::string& arm, std::string_view key) {
  const auto column_of = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(rows.columns, name, &command_line::Column::key) -
                                    rows.columns.begin());
  };
  const std::size_t name = column_of("arm");
  const std::size_t column = column_of(key);
  if (name == rows.columns.size() || column == rows.columns.size()) return std::nullopt;
  for (const auto& row : rows.rows) {
    const auto* text = std::get_if<std::string>(&row[name]);
    if (text == nullptr || *text != arm) continue;
    if (const auto* number = std::get_if<double>(&row[column])) return *number;
    if (const auto* count = std::get_if<std::int64_t>(&row[column])) return static_cast<double>(*count);
  }
  return std::nullopt;
}

namespace {

template <const char* key>
std::optional<double> figure_of(const Table& rows, const std::string& arm) {
  return figure_in(rows, arm, key);
}

std::string time_of(double seconds) {
  constexpr int digits = 4;
  return netmodels::print(netmodels::Seconds{seconds}, digits);
}
std::string share_of(double share) { return netmodels::percent(share, 2); }

/// Of all workers together, with the time outside of steps.
std::optional<double> sample_time(const Table& rows, const std::string& arm) {
  const auto total = figure_in(rows, arm, "total_time_s");
  const auto steps = figure_in(rows, arm, "steps");
  const auto step = figure_in(rows, arm, "step_time_s");
  const auto rate = figure_in(rows, arm, "throughput_samples_per_s");
  if (!total || !steps || !step || !rate) return std::nullopt;
  return *total / (*steps * *step * *rate);
}

/// Cost of the run over its samples.
std::optional<double> sample_cost(const Table& rows, const std::string& arm) {
  constexpr double samples = 1000;
  const auto cost = figure_in(rows, arm, "thousand_samples_cost_usd");
  return cost ? std::optional(*cost / samples) : std::nullopt;
}

constexpr double unlimited = std::numeric_limits<double>::infinity();
bool by_cost(const SimulatedStudy& study) {
  return !study.arms.empty() && decides_by_cost(study.arms.front());
}

constexpr char step_key[] = "step_time_s";
constexpr char total_key[] = "total_time_s";
constexpr char accuracy_key[] = "accuracy";
constexpr char target_key[] = "target_time_s";
constexpr char target_cost_key[] = "target_cost_usd";

}  // namespace

const SeedFigure step_figure{step_key, "step", &figure_of<step_key>, &time_of, unlimited};
const SeedFigure total_figure{total_key, "run", &figure_of<total_key>, &time_of, unlimited};
const SeedFigure accuracy_figure{accuracy_key, "last 5 tests", &figure_of<accuracy_key>, &share_of, 1};
const SeedFigure target_figure{target_key, "to target", &figure_of<target_key>, &time_of, unlimited};
const SeedFigure sample_figure{"sample_time_s", "time per sample", &sample_time, &time_of, unlimited};
const SeedFigure target_cost_figure{target_cost_key, "to target (USD)", &figure_of<target_cost_key>,
                                    &usd_text, unlimited};
const SeedFigure sample_cost_figure{"sample_cost_usd", "cost per sample (USD)", &sample_cost,
                                    &sample_cost_text, unlimited};

const SeedFigure& target_figure_of(const SimulatedStudy& study) {
  return by_cost(study) ? target_cost_figure : target_figure;
}

const SeedFigure& sample_figure_of(const SimulatedStudy& study) {
  return by_cost(study) ? sample_cost_figure : sample_figure;
}

BySeed values_of(const SimulatedStudy& study, const std::string& arm, const SeedFigure& what) {
  BySeed values;
  for (const SeedResult& seed : study.seeds) values.push_back(what.get(seed.rows, arm));
  return values;
}

std::vector<double> known(const BySeed& values) {
  std::vector<double> list;
  for (const auto& value : values)
    if (value) list.push_back(*value);
  return list;
}

double mean_value(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

SeedMean figure_mean(const SeedFigure& figure, const std::vector<double>& values) {
  const SeedMean mean = mean_over_seeds(values);
  return {mean.mean, std::max(0.0, mean.low), std::min(figure.most, mean.high)};
}

}  // namespace sim::report
