// Bulk-synchronous training: gradients are averaged in every step.
#pragma once

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Source: Valiant, "A Bridging Model for Parallel Computation", CACM 33(8), 1990.
class EveryStep final : public SynchronisationPolicy {
 public:
  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<EveryStep>(*this);
  }
  Decision decide(const SynchronisationObservation&) override { return Synchronisation::average_gradients; }
};

}  // namespace policies
