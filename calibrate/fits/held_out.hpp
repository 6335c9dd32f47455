// The shape of a fit, and its error on held-out sizes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "calibrate/fits/segments.hpp"
#include "calibrate/measurements/measurement.hpp"
#include "calibrate/measurements/statistics.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

/// Rule of the sizes that are kept from the fit that is judged by them.
enum class HeldOutBy {
  every_second_size,   ///< fitted to the 1st, 3rd, ... and judged by the 2nd, 4th, ..., then the other way
                       ///< round
  one_size_at_a_time,  ///< each size judged by a fit to all others
};

std::string_view to_string(HeldOutBy by);

/// A model and its honest error.
struct Fit {
  SegmentModel model;                     ///< fitted to all sizes
  measurements::RelativeErrors held_out;  ///< errors of models fitted without the sizes they are judged by
  HeldOutBy by = HeldOutBy::every_second_size;

  bool operator==(const Fit&) const = default;
};

/// A measured size and its time by a model that has not seen it.
struct HeldOutPoint {
  measurements::MeasuredPoint measured;
  netmodels::Seconds predicted;
};

constexpr std::size_t least_points = 4;
constexpr std::size_t points_to_halve =
    16;  ///< threshold from which on every second size is held out; below, one at a time

/// Properties that are chosen by held-out errors.
struct Shape {
  int segments = 1;
  Interpolation interpolation = Interpolation::segments;

  bool operator==(const Shape&) const = default;
};

/// The shape with the least mean error by leaving out one size at a time, of 1, 2 and 3 segments, and then of
/// straight lines and of power laws between neighbouring sizes in place of the best of these. Each candidate
/// must lower the error of those before it by 3 % of it to be taken.
/// @param points  sizes rising; with fewer than `least_points` nothing can be compared, and it is one segment
Shape choose_shape(std::span<const measurements::MeasuredPoint> points);

/// Every point, predicted by a fit to the other half of the points, or, below `points_to_halve`, to all
/// others. Sizes, segments and errors are as of `fit_held_out`.
netmodels::Result<std::vector<HeldOutPoint>> predict_held_out(
    std::span<const measurements::MeasuredPoint> points, std::optional<int> segments);

/// Fits the model to all points and measures its error on held-out ones. Where `segments` is not given, the
/// shape is chosen again for every part that is fitted, so that held-out sizes do not affect it.
///
/// @param points    sizes rising
/// @param segments  1 to 3, which then interpolate as well; nothing: `choose_shape`
/// @returns an Error with an empty `where` for fewer than `least_points` sizes, or too few for the segments
/// Leaves out: the error at sizes far outside the measured ones. Source: nested cross-validation as
/// in S. Varma and R. Simon, "Bias in error estimation when using cross-validation
///         for model selection", BMC Bioinformatics 7:91, 2006.
netmodels::Result<Fit> fit_held_out(std::span<const measurements::MeasuredPoint> points,
                                    std::optional<int> segments);

}  // namespace calibrate::fits
