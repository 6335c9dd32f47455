// Whether the winner depends on how long compressing takes.
#pragma once

#include <optional>
#include <string>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// The winner is one arm if compressing is as fast as it can be, and another if it is as slow as it may be.
struct TurningVerdict {
  const Candidate* fast;          ///< wins if compressing takes less than `break_even`
  const Candidate* otherwise;     ///< wins where compressing takes longest
  netmodels::Seconds break_even;  ///< of compressing and restoring the whole gradient
};

/// The arm that is fastest if compressing takes least, gains no more than a tie, and loses if it takes most:
/// its time is a bound that decides nothing.
/// @param comparison  of at least two arms
/// @returns null where there is none
const Candidate* idle_bound(const Comparison& comparison);

/// Whether no longest time of compressing is known, so that a step is known only at its shortest: such an arm
/// neither wins nor loses. Where steps differ, the least known method that was sent decides.
bool has_least_time_only(const Candidate& candidate);

/// The arms that can be judged, in order.
Comparison judged_arms(const Comparison& comparison);

/// What keeps an arm with only a least time from winning against the best of the others: the time of
/// compressing up to which it is faster, or that it gains no more than a tie at best.
/// @param arm  one that `has_least_time_only`
/// @returns a clause, or nothing where the arm is slower than `best` even at its least time
std::optional<std::string> unjudged_text(const Candidate& arm, const Candidate& best);

/// @param comparison  of at least two arms
/// @returns nothing where the same arm wins, or ties, for every possible time. Where two arms
/// compress
///          and both times are published ones, both stand at the same place in their ranges.
std::optional<TurningVerdict> turning_verdict(const Comparison& comparison);

/// "`topk` is faster than `dense` if compressing takes less than 48 ms; its floor is 0.75 ms, and 29 ms to
/// 440 ms were published for PyTorch".
std::string turning_text(const TurningVerdict& turning);

/// "29 ms to 440 ms of compressing were published for PyTorch, 37 ms are assumed"; empty where it is certain.
std::string assumed_text(const Candidate& candidate);

}  // namespace sim::report
