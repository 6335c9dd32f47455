// Bayesian optimisation of the cluster: profiles where it expects to gain most, and stops when that is
// little.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "policies/gaussian_process.hpp"
#include "policies/planner_row.hpp"

namespace policies {

/// A Gaussian process over log K and log B, each scaled to [0, 1], believes the logarithm of the time to the
/// target, which each profile shows as e D tau / B. It starts with three corners of the grid; then the
/// configuration with the largest expected improvement of the objective is next, until that is below a share
/// of the best so far and enough is profiled. The cost is time and money; the knee is sought as the least
/// product of time and cost.
///
/// Source: Alipourfard et al., "CherryPick: Adaptively Unearthing the Best Cloud Configurations for Big Data
///         Analytics", NSDI 2017, section 3: Matern 5/2, expected improvement, stop at 10 % once six are
///         profiled. Its noise model and its constraint on time are left out; whole trainings, which it would
///         run, are predicted from profiles here.
class BayesianPlanner final : public PlanningPolicy {
 public:
  struct Settings {
    double min_improvement = 0.1;  ///< share of the best, in (0, 1)
    std::size_t min_profiles = 6;  ///< at least 1

    bool operator==(const Settings&) const = default;
  };

  BayesianPlanner(const Settings& settings, const PlanningQuestion& question)
      : settings_(settings), objective_(question.objective) {}

  [[nodiscard]] std::unique_ptr<PlanningPolicy> copy() const override {
    return std::make_unique<BayesianPlanner>(*this);
  }
  std::optional<std::size_t> explore(const PlanningObservation& seen) override;
  [[nodiscard]] std::vector<Prediction> predict(const PlanningObservation& seen) const override;

 private:
  Settings settings_;
  PlanningObjective objective_;
  std::vector<std::size_t> first_;  ///< corners; empty until the grid is seen
};

void describe(settings::Fields& fields, BayesianPlanner::Settings& settings);

}  // namespace policies
