// The figures of an arm that are compared over seeds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/seed_statistics.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// The whole run of each arm, as rows of a sweep.
command_line::Table whole_run_rows(const SimulatedStudy& study);

/// @param rows  as of `whole_run_rows`
/// @returns the number in an arm's column of this key; nothing where there is none
std::optional<double> figure_in(const command_line::Table& rows, const std::string& arm,
                                std::string_view key);

/// One value for each seed; nothing where the seed has none.
using BySeed = std::vector<std::optional<double>>;

/// A figure that is compared over seeds.
struct SeedFigure {
  std::string_view key;    ///< in JSON, which ends in its unit
  std::string_view title;  ///< of its column
  /// @param rows  the whole runs of one seed
  /// @returns the figure of an arm, in SI units or as a share; nothing where the arm has none
  std::optional<double> (*get)(const command_line::Table& rows, const std::string& arm);
  std::string (*print)(double value);
  double most;  ///< that it can be; the least is 0
};

extern const SeedFigure step_figure;      ///< time of a step, s
extern const SeedFigure total_figure;     ///< time of the run, s
extern const SeedFigure accuracy_figure;  ///< mean of the last five tests, a share
extern const SeedFigure target_figure;    ///< time to the target, s; nothing where it was not reached
extern const SeedFigure sample_figure;  ///< time per sample of all workers, with the time outside of steps, s
extern const SeedFigure target_cost_figure;  ///< cost to the target, USD; nothing where it was not reached
extern const SeedFigure sample_cost_figure;  ///< cost per sample of all workers, USD

/// Figures by which the study orders its arms: times or costs.
const SeedFigure& target_figure_of(const SimulatedStudy& study);
const SeedFigure& sample_figure_of(const SimulatedStudy& study);

/// @returns one entry for each of `study.seeds`
BySeed values_of(const SimulatedStudy& study, const std::string& arm, const SeedFigure& what);

/// Those that are there, in order.
std::vector<double> known(const BySeed& values);

/// @param values  at least 1
double mean_value(const std::vector<double>& values);

/// The mean with its 95 % interval, which ends where the figure can go no further.
/// @param values  at least 2
SeedMean figure_mean(const SeedFigure& figure, const std::vector<double>& values);

}  // namespace sim::report
