// Which collectives carry one step's gradient, bucket by bucket.
#pragma once

#include <vector>

#include "kernels/catalogue.hpp"
#include "netmodels/buckets.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/result.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// One collective of one bucket's exchange.
struct PlannedStage {
  const netmodels::Collective* row;  ///< null where the exchange policy chooses
  netmodels::Operation operation;
};

/// The exchange of one bucket: stages one after another.
struct PlannedBucket {
  netmodels::Bucket bucket;
  std::vector<PlannedStage> stages;
};

/// What has to be exchanged in each step, for a given number of workers.
struct ExchangePlan {
  std::vector<PlannedBucket> buckets;                    ///< in the order in which they become ready
  std::vector<const netmodels::Collective*> candidates;  ///< for the stages that are left to the policy
  std::vector<netmodels::Operation> open_operations;     ///< those stages' operations, bucket by bucket
};

/// @param workers  that take part; a single one exchanges nothing
ExchangePlan plan_exchange(const scenario::Scenario& scenario, std::uint32_t workers);

}  // namespace sim::engine
