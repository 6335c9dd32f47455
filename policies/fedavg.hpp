// FedAvg: rounds of local epochs, each ended by a mean over some of the workers.
#pragma once

#include <cstdint>
#include <optional>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// The first step that reaches E, 2E, 3E, ... epochs ends with an exchange, all others are local. The mean is
/// of a share C of the workers, whom the caller draws anew in each exchange (a policy draws nothing), and all
/// take it; C = 1 is local SGD counted in epochs.
///
/// Leaves out: weights by what each worker has seen since the last round; who is not drawn trains all the
///         same.
/// Source: McMahan et al., "Communication-Efficient Learning of Deep Networks from Decentralized Data",
///         AISTATS 2017; C and E as Tyagi & Swany use them, "Accelerating Distributed ML Training via
///         Selective Synchronization", IEEE CLUSTER 2023, section IV.
class FedAvg final : public SynchronisationPolicy {
 public:
  struct Settings {
    double participants = 1;  ///< C, in (0, 1]
    double every_epochs = 1;  ///< E, above 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return true; }
  };
  explicit FedAvg(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<FedAvg>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  Settings settings_;
  double rounds_ = 0;                         ///< that ended
  std::optional<std::int64_t> exchanged_at_;  ///< the last step that ended a round
};

void describe(settings::Fields& fields, FedAvg::Settings& settings);

}  // namespace policies
