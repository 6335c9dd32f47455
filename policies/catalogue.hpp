// The one table of policies, by role.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "policies/batching_policy.hpp"
#include "policies/bayesian_planner.hpp"
#include "policies/compression_row.hpp"
#include "policies/dynamic_batch.hpp"
#include "policies/exchange_policy.hpp"
#include "policies/lb_bsp_batch.hpp"
#include "policies/planning_policy.hpp"
#include "policies/scavenger.hpp"
#include "policies/synchronisation_row.hpp"

namespace policies {

/// What a policy of any role is called and does.
struct PolicyRow {
  std::string_view role;  ///< synchronisation, compression, exchange, batching, planning
  std::string_view name;
  std::string_view summary;  ///< one sentence
  std::string_view source;
};

/// Every policy, by role, in a stable order.
std::vector<PolicyRow> catalogue();

/// @param collective  `auto`, or the name of the only candidate
/// @param hysteresis  of the choice, in [0, 1)
std::unique_ptr<ExchangePolicy> make_exchange_policy(std::string_view collective, double hysteresis);

std::unique_ptr<BatchingPolicy> make_uniform_batch();
std::unique_ptr<BatchingPolicy> make_proportional_batch(const BatchBounds& bounds);
std::unique_ptr<BatchingPolicy> make_dynamic_batch(const DynamicBatch::Settings& settings);
std::unique_ptr<BatchingPolicy> make_dbs_batch(const BatchBounds& bounds);
std::unique_ptr<BatchingPolicy> make_lb_bsp_batch(const LbBspBatch::Settings& settings);
/// @param bounds  as published: 8 to 1024
std::unique_ptr<BatchingPolicy> make_stream_rate_batch(const BatchBounds& bounds);
std::unique_ptr<PlanningPolicy> make_scavenger(const Scavenger::Settings& settings);
std::unique_ptr<PlanningPolicy> make_profile_all();
std::unique_ptr<PlanningPolicy> make_bayesian_planner(const BayesianPlanner::Settings& settings);
std::unique_ptr<PlanningPolicy> make_goodput();

}  // namespace policies
