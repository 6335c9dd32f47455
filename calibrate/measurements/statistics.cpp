// Mean, median, share and extremes of a list of numbers.
#include "calibrate/measurements/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

namespace calibrate::measurements {

double mean(std::span<const double> values) {
  assert(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  assert(!values.empty() && share >= 0 && share <= 1);
  std::ranges::sort(values);
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 == values.size()) return values.back();
  const double rest = position - static_cast<double>(below);
  return rest == 0 ? values[below] : values[below] + rest * (values[below + 1] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

RelativeErrors summarise(std::span<const double> signed_errors) {
  std::vector<double> sizes(signed_errors.begin(), signed_errors.end());
  for (double& size : sizes) size = std::abs(size);
  return {mean(sizes), median(sizes), quantile(sizes, 0.9), quantile(sizes, 1), mean(signed_errors)};
}

}  // namespace calibrate::measurements
