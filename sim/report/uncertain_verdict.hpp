// Whether an arm is faster whatever time compressing takes.
#pragma once

#include <cstdint>
#include <string>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// Spending per sample, as `spent_per_sample`, if compressing takes the least and the most that is possible;
/// the most is infinite where it is not known.
struct SpentPerSample {
  double least;
  double most;
};
SpentPerSample range_per_sample(const Candidate& candidate);

/// Whether an arm is better than another, by the study's objective, for each possible time of compressing.
enum class Standing : std::uint8_t {
  better,     ///< by more than a tie, however long compressing takes
  depends,    ///< if compressing takes less than some time, or than one that is not known
  no_better,  ///< a tie at best
};

/// @param best  compresses in a time that is certain, or not at all
Standing standing(const Candidate& arm, const Candidate& best);

/// Whether no longest time of compressing is known, so that a step is known only at its shortest: such an arm
/// neither wins nor loses. Where steps differ, the least known method that was sent decides.
bool has_least_time_only(const Candidate& candidate);

/// A clause: up to which time of compressing the arm is faster than the other, and what is known of that
/// time. "`topk` is faster than `dense` if compressing takes less than 48 ms; its floor is 0.75 ms, and 29 ms
/// to 440 ms were published for PyTorch".
/// @param arm  one that stands so that it depends on the time
std::string condition_text(const Candidate& arm, const Candidate& best);

/// "29 ms to 440 ms of compressing were published for PyTorch, 37 ms are assumed"; empty where it is certain.
std::string assumed_text(const Candidate& candidate);

}  // namespace sim::report
