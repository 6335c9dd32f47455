// Which of the candidates that were played is the advice, and in which order they are shown.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/advise/policy_advice.hpp"

namespace sim::advise {

/// The best by the objective alone, on the worst network.
/// @returns nothing where none reaches the target
std::optional<std::size_t> best_policy(std::span<const AdvisedPolicy> played,
                                       policies::PlanningObjective objective);

/// By the worst network. Of all that reach their target and are as good as the best, up to `tie` or to the
/// error bars of measured collectives, the simplest: one whose steps are better known; then bulk-synchronous
/// ones, no compression before fewer bits before other methods before policies, larger ratios; then the
/// better one.
/// @returns nothing where none reaches the target
std::optional<std::size_t> choose_policy(std::span<const AdvisedPolicy> played,
                                         policies::PlanningObjective objective, double tie);

/// The best of those that are dense, by the objective alone.
std::optional<std::size_t> best_dense(std::span<const AdvisedPolicy> played,
                                      policies::PlanningObjective objective);

/// Indices: the advice first, then the others by what the objective looks at (for the knee the product of
/// time and cost); those that do not reach their target stand last.
std::vector<std::size_t> ranked(const AdvisedPolicies& advised);

}  // namespace sim::advise
