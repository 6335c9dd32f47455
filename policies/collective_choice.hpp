// Choice of the collective that carries the gradient: always the same, or the one that takes least time.
#pragma once

#include "policies/exchange_policy.hpp"

namespace policies {

// Always the same collective.

/// Always the first candidate.
class FixedCollective final : public ExchangePolicy {
 public:
  [[nodiscard]] std::unique_ptr<ExchangePolicy> copy() const override {
    return std::make_unique<FixedCollective>(*this);
  }
  const netmodels::Collective* choose(const ExchangeObservation& seen) override {
    return seen.candidates.front();
  }
};

// The collective that takes least time on the network as last seen.

/// argmin over the candidates of their times, summed over the step's exchanges: evaluated on the links as
/// they were last read (`ExchangeObservation::times`), or, where a reading has noise, by their closed forms
/// on the observed latency and bandwidth. A new choice has to be better than the current one by `hysteresis`
/// to replace it; times that differ by less than 1e-9 are equal. Before anything is known of the network the
/// first candidate is used.
///
/// Leaves out: the cost of switching; that exchanges may hide behind the backward pass; in closed forms,
/// links
///             that differ, nodes and contention.
/// Source: collective selection of Tyagi & Swany, "Flexible Communication for Optimal Distributed Learning
///         over Unpredictable Networks", IEEE BigData 2023, section 3-D, by closed forms; the evaluation on
///         links is our own.
class CheapestCollective final : public ExchangePolicy {
 public:
  /// @param hysteresis  a share of the current cost, in [0, 1)
  explicit CheapestCollective(double hysteresis) : hysteresis_(hysteresis) {}

  [[nodiscard]] std::unique_ptr<ExchangePolicy> copy() const override {
    return std::make_unique<CheapestCollective>(*this);
  }
  const netmodels::Collective* choose(const ExchangeObservation& seen) override;

 private:
  double hysteresis_;
  const netmodels::Collective* current_ = nullptr;  ///< null before the first choice
};

}  // namespace policies
