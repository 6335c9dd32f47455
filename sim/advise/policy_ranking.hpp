// Which candidates to simulate, and which of the simulated ones is the advice.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/advise/policy_advice.hpp"

namespace sim::advise {

// Which candidates to simulate: those that no other beats clearly by closed forms.

/// A candidate by closed forms.
struct PricedPolicy {
  /// Of the whole training were the network always in one state, for each state of each network. Empty where
  /// closed forms do not give time or the cost of bytes: then it beats no other, and no other beats
  /// it.
  std::vector<netmodels::Seconds> times;
  std::size_t loop = 0;  ///< candidates of one course learn the same and differ only in their exchange
  bool dense = false;    ///< bulk-synchronous, and sends gradients as they are
};

/// By how much one candidate must beat another in every state. While a network keeps its state, closed forms
/// and simulation agree to 1e-9 (tests/engine/agreement_test.cpp) and no margin would be needed; it is for
/// networks that change within an exchange, jitter, and the rounding of a short run.
inline constexpr double pruning_margin = 0.1;

/// Keeps every candidate that no other beats by the margin in every state of every network: whatever the
/// network does, the one that beats it is ahead all the time. Dense ones are also compared with
/// each other only, so that the best of them is always kept.
/// @param within_courses  compare candidates of one course only: where the number of steps of each
///                        course is unknown
/// @returns one per candidate
std::vector<bool> within_reach(std::span<const PricedPolicy> candidates, bool within_courses,
                               double margin = pruning_margin);

// Which of the simulated candidates is the advice, and in which order they are shown.

/// Which time of compressing is taken for all candidates, each in its own range.
enum class CompressingTime { least, assumed, most };

/// The best by only the objective, on the worst network. One whose compression time is a bound is left out:
/// nothing is faster than a bound, so it would win by what is unknown.
/// @returns nothing where none reaches the target; one of the bounds where there is nothing else
std::optional<std::size_t> best_policy(std::span<const AdvisedPolicy> played,
                                       policies::PlanningObjective objective,
                                       CompressingTime compressing = CompressingTime::assumed);

/// By the worst network. Of all that reach their target and are as good as the best, up to `tie` or to the
/// error bars of measured collectives, the simplest: one whose steps are better known; then bulk-synchronous
/// ones, no compression before fewer bits before other methods before policies, larger ratios; then the
/// better one.
/// @returns nothing where none reaches the target
std::optional<std::size_t> choose_policy(std::span<const AdvisedPolicy> played,
                                         policies::PlanningObjective objective, double tie,
                                         CompressingTime compressing = CompressingTime::assumed);

/// The best of the dense ones, by only the objective.
std::optional<std::size_t> best_dense(std::span<const AdvisedPolicy> played,
                                      policies::PlanningObjective objective);

/// Indices: the advice first, then the others by what the objective looks at (for the knee the product of
/// time and cost); those that do not reach their target come last.
std::vector<std::size_t> ranked(const AdvisedPolicies& advised);

}  // namespace sim::advise
