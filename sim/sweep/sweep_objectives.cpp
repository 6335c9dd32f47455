// Figures per sample in place of figures per step and per run, where these are of unequal work.
#include "sim/sweep/sweep_objectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace sim::sweep {
namespace {

constexpr std::array list{Objective{"sent_bytes", WorkOf::step},
                          Objective{"sample_sent_bytes"},
                          Objective{"step_time_s", WorkOf::step},
                          Objective{"sample_time_s"},
                          Objective{"total_time_s", WorkOf::run},
                          Objective{"target_time_s"},
                          Objective{"target_bytes"},
                          Objective{"cost_usd", WorkOf::run},
                          Objective{"sample_cost_usd"},
                          Objective{"accuracy", WorkOf::reached, true},
                          Objective{"best_accuracy", WorkOf::reached, true},
                          Objective{"throughput_samples_per_s", WorkOf::nothing, true},
                          Objective{"scaling_efficiency", WorkOf::nothing, true},
                          Objective{"gain", WorkOf::nothing, true}};

/// Product of the columns in each row; nothing where one is missing.
Figures product(const SweepTable& table, std::span<const std::string_view> keys) {
  Figures values(table.rows(), 1.0);
  for (const std::string_view key : keys) {
    const FigureColumn* column = table.find(key);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (column == nullptr || !column->values[row])
        values[row].reset();
      else if (values[row])
        *values[row] *= *column->values[row];
    }
  }
  return values;
}

constexpr std::array<std::string_view, 2> of_step{"step_time_s", "throughput_samples_per_s"};
constexpr std::array<std::string_view, 3> of_run{"step_time_s", "throughput_samples_per_s", "steps"};

/// Whether rows that are compared differ by more than rounding.
bool differ(const SweepTable& table, const Figures& work) {
  constexpr double rounding = 1e-6;
  std::optional<double> first;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!work[row] || !table.not_compared[row].empty()) continue;
    if (!first) first = work[row];
    if (std::abs(*work[row] - *first) > rounding * *first) return true;
  }
  return false;
}

/// A column per sample of the step or the run.
struct PerSample {
  std::string_view of;  ///< key of the column that is divided
  std::string_view key;
  std::string_view title;
  WorkOf work;
};
constexpr std::array per_sample{
    PerSample{"total_time_s", "sample_time_s", "time/sample", WorkOf::run},
    PerSample{"sent_bytes", "sample_sent_bytes", "sent/worker and sample", WorkOf::step},
    PerSample{"cost_usd", "sample_cost_usd", "cost/sample (USD)", WorkOf::run}};

bool is_unequal(const UnequalWork& work, WorkOf of) {
  if (of == WorkOf::step) return work.in_step;
  return of != WorkOf::nothing && work.in_run;
}

std::vector<Objective> varying(const SweepTable& table, bool (*wanted)(const UnequalWork&, WorkOf)) {
  std::vector<Objective> known;
  std::ranges::copy_if(list, std::back_inserter(known), [&](const Objective& objective) {
    return wanted(table.work, objective.work) && table.find(objective.key) != nullptr;
  });
  return known;
}

}  // namespace

std::span<const Objective> objectives() { return list; }

void add_figures_per_sample(SweepTable& table) {
  const Figures step = product(table, of_step);
  const Figures run = product(table, of_run);
  table.work = {.in_step = differ(table, step), .in_run = differ(table, run)};
  if (!table.work.in_step && !table.work.in_run) return;
  for (const PerSample& figure : per_sample) {
    const FigureColumn* of = table.find(figure.of);
    if (of == nullptr) continue;
    const Figures& samples = figure.work == WorkOf::step ? step : run;
    FigureColumn column{{std::string(figure.key), std::string(figure.title), of->heading.measure},
                        Figures(table.rows())};
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (of->values[row] && samples[row]) column.values[row] = *of->values[row] / *samples[row];
    table.figures.push_back(std::move(column));
  }
}

std::vector<Objective> objectives_of(const SweepTable& table) {
  return varying(table, [](const UnequalWork& work, WorkOf of) { return !is_unequal(work, of); });
}

std::vector<Objective> spent_of(const SweepTable& table) {
  return varying(
      table, [](const UnequalWork& work, WorkOf of) { return of == WorkOf::run && is_unequal(work, of); });
}

std::vector<Objective> reached_of(const SweepTable& table) {
  return varying(table, [](const UnequalWork& work, WorkOf of) {
    return of == WorkOf::reached && is_unequal(work, of);
  });
}

bool compares_equal_work(const SweepTable& table, std::string_view key) {
  const auto found = std::ranges::find(list, key, &Objective::key);
  return found == list.end() || found->work == WorkOf::reached || !is_unequal(table.work, found->work);
}

std::string_view work_text(const SweepTable& table) {
  if (table.work.in_step) return "Steps take different numbers of samples: figures are compared per sample.";
  if (table.work.in_run) return "Runs take different numbers of samples: figures are compared per sample.";
  return "";
}

}  // namespace sim::sweep
