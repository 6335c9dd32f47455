// Measured figures of steps, and which unknowns they are to explain: the input of `sim fit step`.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"

namespace sim::scenario {

/// What a scenario may state wrongly about the time of a step.
enum class StepUnknown : std::uint8_t { goodput, host_overhead, overlap_slowdown, compression };

constexpr auto names_of(StepUnknown) {
  return std::to_array<settings::Named<StepUnknown>>({{"goodput", StepUnknown::goodput},
                                                      {"host_overhead", StepUnknown::host_overhead},
                                                      {"overlap_slowdown", StepUnknown::overlap_slowdown},
                                                      {"compression", StepUnknown::compression}});
}

/// One measured time: of a step, of an all-reduce, or of a step of one worker alone.
struct StepFigure {
  std::optional<netmodels::Seconds> step;
  std::optional<netmodels::Seconds> allreduce;
  std::optional<netmodels::Seconds> alone;
  std::optional<netmodels::Bytes> bytes;  ///< of the all-reduce
  std::optional<std::string> arm;         ///< nothing: the first one
  std::optional<int> workers;             ///< nothing: as the arm states
  double within = 0.05;                   ///< the relative error that 95 % of measurements stay below
  std::string where;                      ///< file:line:column

  /// The measured time, whichever it is.
  [[nodiscard]] netmodels::Seconds time() const { return step ? *step : allreduce ? *allreduce : *alone; }
};

struct StepFigures {
  std::string scenario;  ///< the file, as found
  std::vector<StepFigure> measured;
  std::vector<StepUnknown> fit;  ///< empty: all of them
};

void describe(settings::Fields& fields, StepFigure& value);
std::optional<settings::Problem> problem_of(const StepFigure& value);

void describe(settings::Fields& fields, StepFigures& value);

/// More figures than this belong into a sweep.
inline constexpr std::size_t most_step_figures = 100;

/// @param file      the scenario it names is sought next to it, then among the shipped ones, then from where
///                  the program runs
/// @param data_dir  the folder `scenarios`
/// @returns the figures, at least one, or the first Error, with place, key, value and what is accepted
netmodels::Result<StepFigures> read_step_figures(const std::filesystem::path& file,
                                                 const std::filesystem::path& data_dir);

}  // namespace sim::scenario
