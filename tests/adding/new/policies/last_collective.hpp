// Takes the last of the collectives that fit.
#pragma once

#include "policies/exchange_policy.hpp"

namespace policies {

class LastCollective final : public ExchangePolicy {
 public:
  [[nodiscard]] std::unique_ptr<ExchangePolicy> copy() const override {
    return std::make_unique<LastCollective>(*this);
  }
  const netmodels::Collective* choose(const ExchangeObservation& seen) override {
    return seen.candidates.back();
  }
};

}  // namespace policies
