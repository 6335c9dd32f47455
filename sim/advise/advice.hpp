// Advice: a planner's search, its cost, its predictions, and how they compare with the truth.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/planning_policy.hpp"
#include "sim/advise/profiles.hpp"
#include "sim/scenario/planning_file.hpp"

namespace sim::advise {

/// One planner's way through the grid.
struct SearchResult {
  std::string method;                       ///< "scavenger (ends)", "bayesian"
  std::vector<policies::Profile> profiled;  ///< in order
  netmodels::Seconds time;                  ///< of the search: warm-up, profiles, restores
  netmodels::Dollars cost;
  double progress = 0;  ///< share of the training that its steps were; 0 where not kept
  std::vector<policies::Prediction> predicted;  ///< one per configuration
  std::optional<std::size_t> chosen;            ///< nothing where no configuration keeps the limits

  [[nodiscard]] bool has_profile(std::size_t index) const;
  /// What the search leaves of limits for a whole training, of which its progress is done already.
  [[nodiscard]] policies::PlanningLimits left_of(const scenario::PlanLimits& limits) const;
};

/// The true time and cost of a search and the training it chose.
struct Outcome {
  netmodels::Seconds time;
  netmodels::Dollars cost;
  double search_time = 0;  ///< what the search adds, as a share of the chosen training
  double search_cost = 0;
  /// Excess over the oracle of the objective, which searches nothing: 0.1 is a tenth more, and 0 is the
  /// least. Nothing for a figure that the objective does not look at, and where less is due to a limit that
  /// is broken.
  std::optional<double> time_over_oracle;
  std::optional<double> cost_over_oracle;
};

/// One arm, advised.
struct Advised {
  const scenario::PlanArm* arm = nullptr;  ///< outlives it
  std::string origin;                      ///< of profiles and truths
  std::vector<Truth> truths;               ///< one per configuration
  SearchResult search;
  std::vector<SearchResult> baselines;
  std::optional<std::size_t> oracle;  ///< the best in truth within the limits; nothing where times are
                                      ///< not known

  [[nodiscard]] std::optional<Outcome> outcome(const SearchResult& search_result) const;
  /// The mean of all configurations taken without a look, as a search that finds nothing out.
  [[nodiscard]] std::optional<Outcome> arbitrary() const;

 private:
  /// Fills in what the outcome takes in excess of the oracle.
  void compare_with_oracle(Outcome& outcome) const;
};

/// Searches as the arm says, and by its baselines; every configuration's truth is looked up for comparison
/// and shown to no planner.
/// @param said  called for each configuration that is looked up; may be empty
netmodels::Result<Advised> advise(const scenario::PlanArm& arm, Profiles& profiles,
                                  const std::function<void(double share)>& said = {});

}  // namespace sim::advise
