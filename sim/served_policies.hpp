// Policies of the client of `sim serve`, asked by messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "policies/policy_host.hpp"
#include "sim/serve/worker.hpp"

namespace sim {

/// Host of the policies that a request names.
class ServedPolicies final : public policies::PolicyHost {
 public:
  /// @param hashes  an object: the hash of its source by the name of each policy
  /// @param ask     outlives the object
  ServedPolicies(nlohmann::ordered_json hashes, const serve::Ask& ask);

  [[nodiscard]] std::optional<std::string> source_hash(std::string_view name) const override;
  std::int64_t begin_run() override { return runs_++; }
  policies::ExternalDecision decide(const policies::ExternalQuestion& question) override;
  double ratio(const policies::RatioQuestion& question) override;

 private:
  nlohmann::ordered_json hashes_;
  const serve::Ask& ask_;
  std::int64_t runs_ = 0;  ///< runs that began
};

/// Members of the notification `decide`: `policy`, `run`, and the fields of the observation that are known.
/// Numbers that are not finite are null.
nlohmann::ordered_json question_json(const policies::ExternalQuestion& question);
/// The same for a ratio, with what the step before sent and took as `previous`.
nlohmann::ordered_json question_json(const policies::RatioQuestion& question);

}  // namespace sim
