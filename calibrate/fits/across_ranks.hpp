// Time of a ring collective over size and number of ranks, from tables on some numbers of ranks.
#pragma once

#include <span>

#include "calibrate/fits/segments.hpp"
#include "calibrate/measurements/measurement.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// t = start + steps(N) per_step + f(N) S per_byte, where f is nccl-tests' bus factor and steps the rounds of
/// a ring: 2(N-1) for an all-reduce, N-1 for the others.
struct RingModel {
  const measurements::Operation* operation = nullptr;
  netmodels::Seconds start;     ///< of every call
  netmodels::Seconds per_step;  ///< alpha
  TimePerByte per_byte;         ///< beta, of a byte on the busiest link
};

/// Fits the three by relative robust least squares to all tables together.
/// @param tables  of one operation, on at least two numbers of ranks
/// @returns an Error with an empty `where` for mixed operations, or fewer numbers of ranks
/// Leaves out: protocols that change with size, and links whose number changes with the ranks (a ring through
///             a hybrid cube mesh is as quick as its slowest edge, which this form does not know).
netmodels::Result<RingModel> fit_across_ranks(std::span<const measurements::Measurements> tables);

netmodels::Seconds predict(const RingModel& model, int ranks, netmodels::Bytes size);

}  // namespace calibrate::fits
