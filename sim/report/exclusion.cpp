// One row for each reason.
#include "sim/report/exclusion.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/report/cost.hpp"

namespace sim::report {
namespace {

bool makes_no_step(const SimulatedArm& arm) { return arm.result.whole.steps == 0; }

std::string no_step(const SimulatedArm&) { return "it made no step"; }

std::string ending(const SimulatedArm& arm) {
  const std::int64_t steps = arm.result.whole.steps;
  switch (arm.result.ending) {
    case engine::Ending::stopped_by_failure: return fmt::format("a failure ended it after {} steps", steps);
    case engine::Ending::diverged: return fmt::format("its loss became NaN after {} steps", steps);
    case engine::Ending::interrupted: return fmt::format("it was interrupted after {} steps", steps);
    case engine::Ending::finished: break;
  }
  return "";
}

bool is_unfinished(const SimulatedArm& arm) { return arm.result.ending != engine::Ending::finished; }

/// Several workers trained and every step was local: their models have nothing to do with each other.
bool exchanges_nothing(const SimulatedArm& arm) {
  return arm.scenario->cluster.workers > 1 && arm.result.local_steps >= arm.result.whole.steps;
}

std::string local_steps(const SimulatedArm& arm) {
  return fmt::format("all of its {} steps are local, so that its workers never exchange",
                     arm.result.whole.steps);
}

std::int64_t stated_apart(const SimulatedArm& arm) {
  return merging_server_of(arm.scenario->exchange.synchronisation)->every;
}

/// A server merged models of workers at their own pace much more rarely than stated, or most messages came
/// too late for it: then the time of a step says nothing about the training.
bool falls_behind(const SimulatedArm& arm) {
  constexpr double most_apart = 1.25;  // of the steps that are stated
  if (!arm.result.merging || arm.scenario->cluster.workers == 1) return false;
  const engine::MergingResult& found = *arm.result.merging;
  const double messages = found.workers * static_cast<double>(found.merges) + static_cast<double>(found.late);
  return !found.steps_apart || *found.steps_apart > most_apart * static_cast<double>(stated_apart(arm)) ||
         2 * static_cast<double>(found.late) > messages;
}

std::string merges(const SimulatedArm& arm) {
  const engine::MergingResult& found = *arm.result.merging;
  const std::string apart =
      found.steps_apart
          ? fmt::format("a worker makes {:.4g} steps between two merges of the same values, {} are stated",
                        *found.steps_apart, stated_apart(arm))
          : std::string("nothing is merged");
  return fmt::format(
      "{}, a merge has {:.3g} of {} {}s, and {} messages come too late; a larger `every` or a "
      "`compression` needs less bandwidth, and a quorum waits for those who are away",
      apart, found.workers,
      arm.scenario->cluster.workers / workers_of_site(arm.scenario->work.parallelism, arm.scenario->cluster),
      member_name(arm.scenario->work.parallelism), found.late);
}

std::string endless(const SimulatedArm& arm) {
  return fmt::format("failures come too often for its {} of training to end, so that it has no cost",
                     netmodels::print(arm.result.time, 3));
}

struct Exclusion {
  std::string_view why;
  bool (*applies)(const SimulatedArm&);
  std::string (*figures)(const SimulatedArm&);
};

/// The first that applies counts.
constexpr std::array exclusions{
    Exclusion{"made no step", makes_no_step, no_step},
    Exclusion{"did not finish", is_unfinished, ending},
    Exclusion{"never exchanges", exchanges_nothing, local_steps},
    Exclusion{"hardly merges", falls_behind, merges},
    Exclusion{"has no cost", costs_without_end, endless},
};

const Exclusion* exclusion_of(const SimulatedArm& arm) {
  const auto applies = [&](const Exclusion& row) { return row.applies(arm); };
  const auto* found = std::ranges::find_if(exclusions, applies);
  return found == exclusions.end() ? nullptr : found;
}

}  // namespace

std::string_view why_not_compared(const SimulatedArm& arm) {
  const Exclusion* found = exclusion_of(arm);
  return found == nullptr ? std::string_view{} : found->why;
}

std::string figures_of_exclusion(const SimulatedArm& arm) {
  const Exclusion* found = exclusion_of(arm);
  return found == nullptr ? "" : found->figures(arm);
}

}  // namespace sim::report
