// The catalogue row of a planner, and the choice of one with its settings.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/planning_policy.hpp"
#include "settings/choice.hpp"

namespace policies {

/// The input of a planner besides its own settings.
struct PlanningQuestion {
  PlanningObjective objective = PlanningObjective::cost;
  std::vector<PlanningObservation> stored = {};  ///< all profiles of each job whose model it takes
};

/// One row.
struct PlannerRow : settings::Row {
  /// Names of other jobs whose profiles it wants; null: of none.
  std::span<const std::string> (*stored_jobs)(const void* settings) = nullptr;
  /// The setting that distinguishes two planners of one name; null: none.
  std::string (*variant)(const void* settings) = nullptr;
  std::unique_ptr<PlanningPolicy> (*make)(const void* settings, const PlanningQuestion& question) = nullptr;
};

/// Every planner, in a stable order; the first is the default.
std::span<const PlannerRow> planners();
inline const PlannerRow& default_row(std::type_identity<PlannerRow>) { return planners().front(); }

/// A planner with its settings.
using PlannerChoice = settings::RowChoice<PlannerRow>;

void describe(settings::Fields& fields, PlannerChoice& choice);
constexpr std::string_view choice_key(std::type_identity<PlannerChoice>) { return "method"; }

/// Jobs whose profiles it wants; empty: none.
std::span<const std::string> stored_jobs(const PlannerChoice& choice);
/// `scavenger (ends, as printed)`, `grid`.
std::string label_of(const PlannerChoice& choice);

}  // namespace policies
