// Which of several predicted trainings to buy: the fastest, the cheapest, or the knee between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/planning_policy.hpp"
#include "settings/key.hpp"

namespace policies {

enum class PlanningObjective : std::uint8_t { time, cost, knee };

constexpr auto names_of(PlanningObjective) {
  return std::to_array<settings::Named<PlanningObjective>>({{"time", PlanningObjective::time},
                                                            {"cost", PlanningObjective::cost},
                                                            {"knee", PlanningObjective::knee}});
}

/// What a training may take; nothing: as much as it likes.
struct PlanningLimits {
  std::optional<netmodels::Seconds> time;
  std::optional<netmodels::Dollars> cost;
};

/// Indices of the predictions that no other beats in both time and cost, from the fastest to the cheapest; of
/// equals the first.
std::vector<std::size_t> time_cost_front(std::span<const Prediction> predictions);

/// The knee of the curve of cost over time, by Kneedle for a curve that falls and bends inward: with both
/// axes scaled to [0, 1] the point that lies deepest below the straight line between the ends. Where none
/// lies below it, the cheapest.
/// @param front  of `time_cost_front`; not empty
/// @returns one of `front`
/// Source: Satopaa, Albrecht, Irwin, Raghavan, "Finding a 'Kneedle' in a Haystack: Detecting Knee Points in
///         System Behavior", ICDCS workshops 2011, without smoothing and with sensitivity 0.
std::size_t kneedle(std::span<const Prediction> predictions, std::span<const std::size_t> front);

/// The best within the limits; the cheaper of two that are equally fast, the faster of two that cost the
/// same, then the first.
/// @returns nothing where no prediction keeps the limits
std::optional<std::size_t> choose_training(std::span<const Prediction> predictions,
                                           PlanningObjective objective, const PlanningLimits& limits = {});

}  // namespace policies
