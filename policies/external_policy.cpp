// Asks the host, and checks its decisions.
#include "policies/external_policy.hpp"

#include <array>
#include <cassert>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "netmodels/nearest.hpp"

namespace policies {
namespace {

/// Way in which a step may end.
struct Ending {
  std::string_view name;
  Synchronisation kind;
  std::optional<Averaged> with;  ///< needed value of `averaged`; nothing: any
};

constexpr std::array endings{
    Ending{"stay_local", Synchronisation::stay_local, std::nullopt},
    Ending{"average_gradients", Synchronisation::average_gradients, Averaged::gradients},
    Ending{"average_parameters", Synchronisation::average_parameters, Averaged::parameters},
    Ending{"average_before_step", Synchronisation::average_before_step, Averaged::parameters},
};

std::vector<std::string_view> accepted_endings(Averaged averaged) {
  std::vector<std::string_view> names;
  for (const Ending& ending : endings) {
    if (!ending.with || *ending.with == averaged) names.push_back(ending.name);
  }
  return names;
}

netmodels::Error unknown_ending(const External::Settings& settings, const std::string& kind,
                                std::int64_t step) {
  return {"--policies",
          fmt::format("policy `{}` decided `{}` in step {}, with `averaged: {}`", settings.source.name, kind,
                      step, settings::name_of(settings.averaged)),
          netmodels::accepted_names(kind, accepted_endings(settings.averaged))};
}

}  // namespace

std::optional<settings::Problem> External::Settings::problem_with(int /*workers*/) const {
  return problem_with_source(source);
}

External::External(const Settings& settings)
    : settings_(settings),
      run_(installed_policy_host() == nullptr ? 0 : installed_policy_host()->begin_run()) {}

Decision External::decide(const SynchronisationObservation& seen) {
  PolicyHost* host = installed_policy_host();
  assert(host != nullptr);  // else the scenario was refused
  const ExternalDecision decided = host->decide({settings_.source.name, run_, seen});
  for (const Ending& ending : endings) {
    if (ending.name != decided.kind || (ending.with && *ending.with != settings_.averaged)) continue;
    Decision decision = ending.kind;
    decision.dense = decided.dense && ending.kind == Synchronisation::average_gradients;
    return decision;
  }
  throw PolicyFailure(unknown_ending(settings_, decided.kind, seen.step));
}

void describe(settings::Fields& fields, External::Settings& settings) {
  describe_source(fields, settings.source);
  fields.field({.name = "looks",
                .doc = "Input that the policy needs and only a learner provides.",
                .fallback = "nothing"},
               settings.looks);
  describe_averaged(fields, settings.averaged);
}

}  // namespace policies
