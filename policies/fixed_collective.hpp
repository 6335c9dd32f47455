// Always the same collective.
#pragma once

#include "policies/exchange_policy.hpp"

namespace policies {

/// The first candidate, whatever is seen.
class FixedCollective final : public ExchangePolicy {
 public:
  [[nodiscard]] std::unique_ptr<ExchangePolicy> copy() const override {
    return std::make_unique<FixedCollective>(*this);
  }
  const netmodels::Collective* choose(const ExchangeObservation& seen) override {
    return seen.candidates.front();
  }
};

}  // namespace policies
