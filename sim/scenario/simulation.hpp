// The simulation of an arm: by which evaluator, with which seeds, and how much of it is written.
#pragma once

#include <cstdint>
#include <optional>

namespace sim::scenario {

enum class Evaluator { automatic, closed, path, simgrid, nccl };

/// Workers drawn in timeline.json: those of the first node and one of each other speed, or all.
enum class TimelineWorkers { brief, full };

struct Output {
  std::int64_t steps_every = 1;     ///< a row of steps.csv for each so many steps
  std::int64_t timeline_steps = 3;  ///< steps drawn in timeline.json
  TimelineWorkers timeline = TimelineWorkers::brief;
};

/// Which uncertain inputs are drawn: those that the scenario states a range for, or also those whose range
/// was published or measured with them.
enum class DrawnInputs { all, stated };

/// Runs with other values of the uncertain inputs.
struct Uncertainty {
  int samples = 200;
  std::uint64_t seed = 1;  ///< of the draws
  DrawnInputs inputs = DrawnInputs::all;

  bool operator==(const Uncertainty&) const = default;
};

/// Evaluator, seeds and output of an arm.
struct Simulation {
  Evaluator evaluator = Evaluator::automatic;
  double audit = 0;  ///< share of evaluations repeated by SimGrid
  Output output;
  std::uint64_t seed = 1;
  int seeds = 1;  ///< how many are run, counted up from `seed`; of all arms the largest counts
  std::optional<Uncertainty> uncertainty;  ///< nothing: uncertain inputs have their stated values
};

}  // namespace sim::scenario
