// Mean, median, share and extremes of a list of numbers.
#pragma once

#include <span>
#include <vector>

namespace calibrate::measurements {

inline constexpr double us_per_second = 1e6;

/// @param values  at least one
double mean(std::span<const double> values);

/// The value below which `share` of the list lies, linear between neighbours.
/// @param values  at least one, in any order
/// @param share   0 (the smallest) to 1 (the largest)
double quantile(std::vector<double> values, double share);

/// The middle value; between the two middle ones where their number is even.
double median(std::vector<double> values);

/// Relative errors of predictions: |predicted - measured| / measured, pure numbers.
struct RelativeErrors {
  double mean = 0;
  double median = 0;
  double p90 = 0;  ///< nine of ten errors are at most this
  double worst = 0;
  double bias = 0;  ///< mean of (predicted - measured) / measured, with its sign

  bool operator==(const RelativeErrors&) const = default;
};

/// @param signed_errors  (predicted - measured) / measured of each point; at least one
RelativeErrors summarise(std::span<const double> signed_errors);

}  // namespace calibrate::measurements
