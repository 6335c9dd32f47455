// Finds what is stated and did not act in the runs of a study.
#include "sim/report/result_warnings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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
  return one.runs.size() == arms ? fmt::format("every run (the longest: {})", length)
                                 : fmt::format("{} of {} runs (the longest: {}, `{}`)", one.runs.size(), arms,
                                               length, longest->name);
}

// Keys that no run used.

/// Whether a step exchanged anything among workers, inside a replica, or with a server.
bool exchanges(const SimulatedArm& arm) {
  const auto is_named = [](const auto& collective) { return !collective.first.empty(); };
  return std::ranges::any_of(arm.result.whole.collectives, is_named) ||
         arm.scenario->work.workload.replica.has_value();
}

std::string_view idle_exchange(const SimulatedArm& arm) {
  return exchanges(arm) ? "" : "no step exchanges anything, so that times do not depend on it";
}

std::string_view idle_compression(const SimulatedArm& arm) {
  if (!arm.scenario->exchange.compression.compresses()) return "";
  if (!exchanges(arm)) return idle_exchange(arm);
  const auto compresses = [](const auto& method) { return method.first != "none"; };
  return std::ranges::any_of(arm.result.whole.methods, compresses) ? "" : "no step sends anything compressed";
}

std::string_view idle_synchronisation(const SimulatedArm& arm) {
  const bool is_default = arm.scenario->exchange.synchronisation == policies::SynchronisationChoice{};
  return is_default || arm.scenario->cluster.workers > 1 ? "" : "a single worker has none to wait for";
}

std::string_view idle_batching(const SimulatedArm& arm) {
  const scenario::Work& work = arm.scenario->work;
  const bool decides = work.batching->traits.decides;
  if (!decides || arm.result.batch_changes > 0 || arm.result.batches.empty()) return "";
  for (std::uint32_t worker = 0; worker < arm.result.batches.size(); ++worker)
    if (arm.result.batches[worker] != batch_of(work.training, worker)) return "";
  return "every worker keeps the batch that `training` states";
}

std::string_view idle_audit(const SimulatedArm& arm) {
  const bool is_idle = arm.scenario->simulation.audit > 0 && arm.result.evaluators.audited == 0;
  return is_idle ? "no evaluation was repeated by SimGrid" : "";
}

/// A key, and why a run does not use it.
struct IdleKey {
  std::string_view key;
  std::string_view (*why)(const SimulatedArm& arm);  ///< empty: the run uses it
};

constexpr std::array idle_keys{
    IdleKey{"compression", idle_compression},
    IdleKey{"synchronisation", idle_synchronisation},
    IdleKey{"exchange", idle_exchange},
    IdleKey{"batching", idle_batching},
    IdleKey{"audit", idle_audit},
};
static_assert(std::ranges::equal(idle_keys, scenario::keys_that_may_idle, {}, &IdleKey::key));

bool states(const SimulatedArm& arm, std::string_view key, const std::string& place) {
  return std::ranges::any_of(arm.scenario->may_idle, [&](const scenario::StatedKey& stated) {
    return stated.key == key && stated.place == place;
  });
}

/// Warning of a key stated at `place` that no arm uses; nothing where one does.
std::optional<std::string> idle_warning(const SimulatedStudy& study, const IdleKey& row,
                                        const std::string& place) {
  std::string_view why;
  for (const SimulatedArm& arm : study.arms) {
    if (!states(arm, row.key, place)) continue;
    why = row.why(arm);
    if (why.empty()) return std::nullopt;
  }
  return fmt::format("{}: `{}`: {}", place, row.key, why);
}

std::vector<std::string> idle_warnings(const SimulatedStudy& study) {
  std::vector<std::string> warnings;
  const bool is_whole = std::ranges::all_of(study.arms, [](const SimulatedArm& arm) {
    return arm.result.ending != engine::Ending::interrupted && arm.result.whole.steps > 0;
  });
  if (!is_whole) return warnings;
  for (const IdleKey& row : idle_keys) {
    std::set<std::string> places;
    for (const SimulatedArm& arm : study.arms) {
      for (const scenario::StatedKey& stated : arm.scenario->may_idle) {
        if (stated.key != row.key || !places.insert(stated.place).second) continue;
        if (auto warning = idle_warning(study, row, stated.place)) warnings.push_back(std::move(*warning));
      }
    }
  }
  return warnings;
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
  std::ranges::move(idle_warnings(study), std::back_inserter(warnings));
  return warnings;
}

std::vector<std::string> all_warnings(const SimulatedStudy& study) {
  std::vector<std::string> warnings = study.study->warnings;
  std::ranges::move(result_warnings(study), std::back_inserter(warnings));
  return warnings;
}

}  // namespace sim::report
