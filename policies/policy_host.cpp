// The host of the process, and whether it has a policy.
#include "policies/policy_host.hpp"

#include <cassert>
#include <utility>

#include <fmt/format.h>

namespace policies {
namespace {

/// Host of the process: a program outside has one connection to it.
PolicyHost* installed_host = nullptr;

}  // namespace

InstalledPolicyHost::InstalledPolicyHost(PolicyHost& host) {
  assert(installed_host == nullptr);
  installed_host = &host;
}

InstalledPolicyHost::~InstalledPolicyHost() { installed_host = nullptr; }

PolicyHost* installed_policy_host() { return installed_host; }

std::optional<settings::Problem> problem_with_source(const ExternalSource& source) {
  const auto hash = installed_host == nullptr ? std::nullopt : installed_host->source_hash(source.name);
  if (!hash)
    return settings::Problem{
        "name",
        fmt::format("policy `{}` was passed by a Python program, and `sim` cannot call it", source.name),
        "run the scenario by `gradsim.run(..., policies=...)`, or choose a policy of `sim list policies`"};
  if (*hash == source.sha256) return std::nullopt;
  return settings::Problem{
      "sha256", fmt::format("the source of policy `{}` has changed: its hash is `{}`", source.name, *hash),
      "pass the policy as it was, or write this hash"};
}

void describe_source(settings::Fields& fields, ExternalSource& source) {
  fields.field({.name = "name",
                .doc = "Name of a policy that a Python program passes, `gradsim.run(..., policies=...)`; the "
                       "package writes it.",
                .example = "Mine"},
               source.name);
  fields.field(
      {.name = "sha256",
       .doc = "Hash of the policy's source: SHA-256 in hexadecimal digits; a run with another source is "
              "refused.",
       .example = "5feceb66ffc86f38"},
      source.sha256);
}

}  // namespace policies
