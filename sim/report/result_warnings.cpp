// Finds stated moments that the runs of a study do not reach.
#include "sim/report/result_warnings.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "netmodels/quantity.hpp"

namespace sim::report {
namespace {

using scenario::StatedMoment;

/// A moment, and the runs that end before it.
struct Unreached {
  const StatedMoment* moment;
  std::vector<const engine::ArmResult*> runs;
};

std::vector<Unreached> unreached_moments(const SimulatedStudy& study) {
  std::vector<Unreached> found;
  for (const SimulatedArm& arm : study.arms) {
    for (const StatedMoment& moment : arm.result.unreached) {
      auto known = std::ranges::find_if(found, [&](const Unreached& one) {
        return one.moment->key == moment.key && one.moment->place == moment.place;
      });
      if (known == found.end()) known = found.insert(found.end(), {&moment, {}});
      known->runs.push_back(&arm.result);
    }
  }
  return found;
}

/// Length of a run in simulated time, or in steps where the moment is a step or an epoch.
std::string length_text(const StatedMoment& moment, const engine::ArmResult& run) {
  constexpr int digits = 3;
  if (moment.at.unit == settings::Moment::Unit::time) return netmodels::print(run.time, digits);
  return fmt::format("{} steps", run.whole.steps);
}

/// "the run (12.1 s)", "the run of `dense` (12.1 s)", "every run (the longest: 12.1 s)".
std::string runs_text(const Unreached& one, std::size_t arms) {
  const auto longest =
      *std::ranges::max_element(one.runs, {}, [](const engine::ArmResult* run) { return run->time; });
  const std::string length = length_text(*one.moment, *longest);
  if (arms == 1) return fmt::format("the run ({})", length);
  if (one.runs.size() == 1) return fmt::format("the run of `{}` ({})", longest->name, length);
  return one.runs.size() == arms
             ? fmt::format("every run (the longest: {})", length)
             : fmt::format("{} of {} runs (the longest: {}, `{}`)", one.runs.size(), arms, length,
                           longest->name);
}

}  // namespace

std::vector<std::string> result_warnings(const SimulatedStudy& study) {
  std::vector<std::string> warnings;
  for (const Unreached& one : unreached_moments(study)) {
    const StatedMoment& moment = *one.moment;
    warnings.push_back(fmt::format("{}: `{}`, {}, is after the end of {}: it has no effect", moment.place,
                                   moment.key, scenario::describe_moment(moment.at),
                                   runs_text(one, study.arms.size())));
  }
  return warnings;
}

std::vector<std::string> all_warnings(const SimulatedStudy& study) {
  std::vector<std::string> warnings = study.study->warnings;
  std::ranges::move(result_warnings(study), std::back_inserter(warnings));
  return warnings;
}

}  // namespace sim::report
