// One to three straight pieces of time over size, fitted to measured times.
#pragma once

#include <span>
#include <vector>

#include "calibrate/measurements/measurement.hpp"
#include "netmodels/measured_collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

using netmodels::Interpolation;
using netmodels::predict;
using netmodels::Segment;
using netmodels::SegmentModel;
using netmodels::TimePerByte;

constexpr int most_segments = 3;
constexpr std::size_t points_per_segment = 3;  ///< fewer would leave nothing to judge a line by

/// Fits the model with exactly `segments` pieces. Each piece minimises Huber's loss of the relative residuals
///
///   r_i = (latency + size_i * per_byte - t_i) / t_i,   loss = r^2/2 for |r| <= 5 %, beyond that it grows
///   linearly,
///
/// by iterated reweighting under latency >= 0, per_byte >= 0; the pieces' ends are searched over all measured
/// sizes, and the choice with the least sum of losses is taken. Between two pieces the end lies where their
/// lines cross. Elsewhere time jumps, as it does where a library changes its protocol: upwards in the middle
/// (geometric) between the two measured sizes, downwards right after the lower one, which predicts held-out
/// sizes of published nccl-tests tables better than the middle does (the ledger's `nccl-tests tables`).
///
/// @param points    sizes rising; at least 3 for each segment
/// @param segments  1 to 3
/// Leaves out: noise that depends on size; falling times inside a piece, which becomes level there.
/// Source: P. J. Huber, "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35(1), 1964.
SegmentModel fit_segments(std::span<const measurements::MeasuredPoint> points, int segments);

}  // namespace calibrate::fits
