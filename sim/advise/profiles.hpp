// Where a planner's profiles and the truth about its predictions come from: a table, or the simulator.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "netmodels/result.hpp"
#include "policies/planning_policy.hpp"
#include "sim/engine/learners.hpp"
#include "sim/scenario/planning_file.hpp"

namespace sim::advise {

/// The true time of a training under one configuration, as far as it is known.
struct Truth {
  double epochs = 0;
  netmodels::Seconds step;
  std::optional<netmodels::Seconds> time;  ///< with the rework after interruptions
  std::optional<netmodels::Dollars> cost;
};

/// Everything about one configuration.
struct Known {
  policies::Profile profile;
  Truth truth;
};

/// Answers for each configuration of an arm's grid; the arm outlives it.
class Profiles {
 public:
  virtual ~Profiles() = default;
  /// @param index  of the grid
  /// @returns the same each time, or an Error where nothing is known
  virtual netmodels::Result<Known> at(std::size_t index) = 0;
  /// D, of an epoch.
  [[nodiscard]] virtual double samples() const = 0;
  /// One sentence: whose figures they are.
  [[nodiscard]] virtual std::string origin() const = 0;
};

/// Rows of the arm's table. A step that was not measured is T B / (e D).
std::unique_ptr<Profiles> profiles_of_table(const scenario::PlanArm& arm);

/// Simulates the scenario at each configuration asked for, to its learner's target (without a learner to the
/// end), once. The profile is the mean of its first steps, after the warm-up where it is the first of the
/// grid; noise is (b + N) / (B + N) with the learner's noise scale N at that time.
/// @param shelf  outlives it, as `job` and `stop` do; `stop` may be null
std::unique_ptr<Profiles> profiles_of_simulation(const scenario::PlanArm& arm, const scenario::Scenario& job,
                                                 engine::LearnerShelf& shelf, const std::atomic<bool>* stop);

/// A table's figures of one of its jobs, by the grid of all its rows; for stored models.
struct StoredJob {
  std::vector<policies::Configuration> grid;
  std::vector<policies::Profile> profiles;
};
/// @param samples  of an epoch, for steps that follow from times
StoredJob stored_job(const scenario::PlanArm& arm, const std::string& job, double samples);

}  // namespace sim::advise
