// The question to a planner: clusters and batches, prices, limits, and search method.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/planner_row.hpp"
#include "sim/scenario/rent.hpp"

namespace sim::scenario {

enum class ProfileSourceKind { simulate, table };

/// Where profiles come from.
struct ProfileSource {
  ProfileSourceKind kind = ProfileSourceKind::simulate;
  std::string file;          ///< table: as found
  std::string job;           ///< table: its rows
  std::int64_t samples = 1;  ///< table: of an epoch
};

/// The price of a machine that may be interrupted.
struct Price : MachineRent {
  double interruptions_per_hour = 0;  ///< of one machine
  netmodels::Seconds checkpoint_every{600};
};

/// Bounds of rental and spending.
struct PlanLimits {
  std::optional<netmodels::Seconds> time;
  std::optional<netmodels::Dollars> cost;
  std::optional<int> workers;
  std::optional<int> batch;
};

/// The exploration of the grid, and its cost.
struct PlanSearch {
  policies::PlannerChoice planner;
  std::int64_t iterations = 20;  ///< of each profile
  std::int64_t warm_up = 0;      ///< iterations of the start before its profile
  netmodels::Seconds restore;    ///< from a checkpoint, for each further configuration
  bool keep_progress = true;     ///< iterations of the search count for the training
};

/// One question to a planner.
struct Planning {
  ProfileSource profiles;
  std::vector<int> workers;  ///< K
  std::vector<int> batches;  ///< B, of all workers together
  Price price;
  policies::PlanningObjective objective = policies::PlanningObjective::knee;
  PlanLimits limits;
  PlanSearch search;
  std::vector<policies::PlannerChoice> baselines;
};

/// A figure of merit of an advice.
enum class AdviceMetric {
  step_error,
  epochs_error,
  time_error,
  cost_error,
  worst_time_error,
  explored,
  search_time,
  search_cost,
  time_over_oracle,
  cost_over_oracle,
};

/// A bound on a figure of merit, averaged over the arms that match.
struct AdviceBound {
  std::string arms = "*";  ///< a pattern; `*` matches any text
  AdviceMetric metric = AdviceMetric::time_error;
  double at_most = 0;                      ///< a share
  bool judged = true;                      ///< false: shown, but does not count
  std::optional<std::string> reason = {};  ///< why it is not judged
  std::string source = {};
  std::string where = {};  ///< file:line:column
};

}  // namespace sim::scenario
