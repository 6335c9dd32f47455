// What is asked about policies: which of them to compare for a training on a given cluster, and by what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/planning_policy.hpp"
#include "policies/synchronisation_row.hpp"
#include "sim/scenario/compression.hpp"
#include "sim/scenario/learner.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/planning.hpp"

namespace sim::scenario {

/// Every combination of what the lists hold is a candidate.
struct PolicyAdvice {
  policies::PlanningObjective objective = policies::PlanningObjective::knee;
  std::vector<policies::SynchronisationChoice> synchronisation;
  std::vector<Compression> compression;
  std::vector<double> ratios;            ///< for each method that knows one and states none
  std::vector<std::string> collectives;  ///< names, and `auto`
  std::vector<int> batches;              ///< samples per worker and step
  std::vector<Parallelism> parallelism;  ///< how states are shared; empty: every kind
  std::vector<int> accumulations;        ///< micro-batches of a step; empty: powers of two
  std::optional<Price> price;
  std::optional<netmodels::Dollars> price_per_gigabyte;  ///< of the bytes that workers send
  double tie = 0;                                        ///< relative difference that counts as none
  std::int64_t steps = 1;  ///< that a candidate is simulated, where its accuracy does not depend on gradients
};

/// A figure of the advice that can be compared with a bound.
enum class PolicyMetric { time, cost, over_dense };

/// A bound on a figure of the advice.
struct PolicyBound {
  PolicyMetric metric = PolicyMetric::time;
  std::optional<double> at_least;  ///< seconds, dollars, or a plain number
  std::optional<double> at_most;
  std::string source = {};
  std::string where = {};  ///< file:line:column
};

}  // namespace sim::scenario
