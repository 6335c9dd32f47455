// Asks the host, and checks its ratios.
#include "policies/external_compression.hpp"

#include <cassert>

#include <fmt/format.h>

namespace policies {

ExternalCompression::ExternalCompression(const Settings& settings, const CompressionJob& job)
    : settings_(settings),
      method_(job.stated.method),
      run_(installed_policy_host() == nullptr ? 0 : installed_policy_host()->begin_run()) {}

CompressionPlan ExternalCompression::plan(const CompressionObservation& seen) {
  PolicyHost* host = installed_policy_host();
  assert(host != nullptr);  // else the scenario was refused
  const double ratio = host->ratio({settings_.source.name, run_, seen, last_});
  if (!(ratio > 0 && ratio <= 1))
    throw PolicyFailure(
        {"--policies",
         fmt::format("policy `{}` chose a ratio of {} in step {}", settings_.source.name, ratio, seen.step),
         "accepted: above 0, at most 1 (the dense gradient)"});
  return {{ratio < 1 ? CompressionChoice{method_, ratio} : CompressionChoice{}}, std::nullopt};
}

void describe(settings::Fields& fields, ExternalCompression::Settings& settings) {
  describe_source(fields, settings.source);
}

std::optional<settings::Problem> problem_of(const ExternalCompression::Settings& settings) {
  return problem_with_source(settings.source);
}

}  // namespace policies
