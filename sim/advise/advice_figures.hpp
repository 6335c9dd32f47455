// Figures of merit of an advice, and the bounds that a file sets to them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/advise/advice.hpp"
#include "sim/scenario/planning_file.hpp"

namespace sim::advise {

/// Errors of predictions, as shares, over the configurations without a profile; over all where all have one.
struct PredictionErrors {
  int configurations = 0;
  bool held_out = false;  ///< whether they are those without a profile
  double mean = 0;        ///< of |predicted / true - 1|
  double worst = 0;
};

enum class Predicted { step, epochs, time, cost };

/// @returns nothing where no truth is known, or where the planner does not predict it
std::optional<PredictionErrors> errors_of(const Advised& advised, Predicted what);

/// @returns nothing where it is unknown, as a comparison with an oracle whose times are not known
std::optional<double> figure_of(const Advised& advised, scenario::AdviceMetric metric);

/// A bound, judged.
struct JudgedBound {
  const scenario::AdviceBound* bound;
  int arms = 0;                ///< that match
  std::optional<double> ours;  ///< mean over them; nothing where one has no such figure
  /// Objective that does not look at the figure, of an arm that matches.
  std::optional<policies::PlanningObjective> other_objective = {};
  [[nodiscard]] bool within() const { return ours && *ours <= bound->at_most; }
  /// Whether the bound is kept; nothing where it is not judged.
  [[nodiscard]] std::optional<bool> met() const {
    return bound->judged && !other_objective ? std::optional(within()) : std::nullopt;
  }
};

/// @param advised  all arms of the plan
std::vector<JudgedBound> judge(const scenario::Plan& plan, std::span<const Advised> advised);

/// One line for each bound.
std::string bounds_text(std::span<const JudgedBound> bounds);

/// Each bound that is not kept, with its place; empty when all are.
std::vector<std::string> missed(std::span<const JudgedBound> bounds);

}  // namespace sim::advise
