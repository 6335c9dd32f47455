// What the candidates of `collective: auto` would take on a network as it was read.
#pragma once

#include <span>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/network.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/cost_evaluator.hpp"

namespace sim::engine {

/// Times of one step's exchanges by the evaluator that the run uses.
class ForeseenTimes final : public policies::CandidateTimes {
 public:
  /// @param evaluator   outlives this
  /// @param operations  of one step, which differ in size only
  /// @param state       outlives this; nothing is upcoming in it
  ForeseenTimes(CostEvaluator& evaluator, std::span<const netmodels::Operation> operations,
                const netmodels::NetworkState& state);

  netmodels::Seconds time(const netmodels::Collective& row, netmodels::Seconds limit) override;
  netmodels::Seconds at_least(const netmodels::Collective& row) override;

 private:
  struct Repeated {
    netmodels::Operation operation;
    double count;
  };

  CostEvaluator& evaluator_;
  const netmodels::NetworkState& state_;
  std::vector<Repeated> operations_;
};

}  // namespace sim::engine
