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

/// Host of the process: a program outside has one connection to it.
PolicyHost* installed_host = nullptr;

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
          fmt::format("policy `{}` decided `{}` in step {}, with `averaged: {}`", settings.name, kind, step,
                      settings::name_of(settings.averaged)),
          netmodels::accepted_names(kind, accepted_endings(settings.averaged))};
}

}  // namespace

InstalledPolicyHost::InstalledPolicyHost(PolicyHost& host) {
  assert(installed_host == nullptr);
  installed_host = &host;
}

InstalledPolicyHost::~InstalledPolicyHost() { installed_host = nullptr; }

std::optional<settings::Problem> External::Settings::problem_with(int /*workers*/) const {
  const auto hash = installed_host == nullptr ? std::nullopt : installed_host->source_hash(name);
  if (!hash)
    return settings::Problem{
        "name", fmt::format("policy `{}` was passed by a Python program, and `sim` cannot call it", name),
        "run the scenario by `gradsim.run(..., policies=...)`, or write another `synchronisation.method`"};
  if (*hash == sha256) return std::nullopt;
  return settings::Problem{
      "sha256", fmt::format("the source of policy `{}` has changed: its hash is `{}`", name, *hash),
      "pass the policy as it was, or write this hash"};
}

External::External(const Settings& settings)
    : settings_(settings), run_(installed_host == nullptr ? 0 : installed_host->begin_run()) {}

Decision External::decide(const SynchronisationObservation& seen) {
  assert(installed_host != nullptr);  // else the scenario was refused
  const ExternalDecision decided = installed_host->decide({settings_.name, run_, seen});
  for (const Ending& ending : endings) {
    if (ending.name != decided.kind || (ending.with && *ending.with != settings_.averaged)) continue;
    Decision decision = ending.kind;
    decision.dense = decided.dense && ending.kind == Synchronisation::average_gradients;
    return decision;
  }
  throw PolicyFailure(unknown_ending(settings_, decided.kind, seen.step));
}

void describe(settings::Fields& fields, External::Settings& settings) {
  fields.field({.name = "name",
                .doc = "Name of a policy that a Python program passes, `gradsim.run(..., policies=...)`; the "
                       "package writes it.",
                .example = "Mine"},
               settings.name);
  fields.field(
      {.name = "sha256",
       .doc = "Hash of the policy's source: SHA-256 in hexadecimal digits; a run with another source is "
              "refused.",
       .example = "5feceb66ffc86f38"},
      settings.sha256);
  fields.field({.name = "looks",
                .doc = "Input that the policy needs and only a learner provides.",
                .fallback = "nothing"},
               settings.looks);
  describe_averaged(fields, settings.averaged);
}

}  // namespace policies
