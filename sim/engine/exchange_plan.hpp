// Which collectives carry one step's gradient, bucket by bucket.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/buckets.hpp"
#include "netmodels/collective.hpp"
#include "netmodels/data_parallel_step.hpp"
#include "policies/compression_policy.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// What is exchanged, and by which collectives it may be.
struct ExchangeQuestion {
  std::span<const netmodels::Layer> layers;
  netmodels::BucketLimits buckets;
  policies::CompressionChoice sent;
  int index_bytes = 4;
  bool by_variance = false;              ///< how AR-Topk chooses the worker whose indices are used
  std::string_view collective = "auto";  ///< a row of the collectives, or a policy that chooses
  std::span<const std::string> among;    ///< for a policy: only these, where any of them fits; empty: all
  std::uint32_t chunks = 16;             ///< of pipelined collectives
  std::uint32_t workers_per_node = 1;
};

/// As the scenario states it.
/// @param scenario  outlives the question
ExchangeQuestion stated_exchange(const scenario::Scenario& scenario);

/// What has to be exchanged in each step, for a given number of workers.
struct ExchangePlan {
  std::vector<netmodels::BucketExchange> buckets;        ///< in the order in which they become ready
  std::vector<const netmodels::Collective*> candidates;  ///< for the stages that are left to the policy
  std::vector<netmodels::Operation> open_operations;     ///< those stages' operations, bucket by bucket
};

/// Compression and restoring take no time yet.
/// @param workers  that take part; a single one exchanges nothing
ExchangePlan plan_exchange(const ExchangeQuestion& question, std::uint32_t workers);

}  // namespace sim::engine
