// Finds a method's row and interpolates between measured ratios.
#include "netmodels/kernel_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace netmodels {
namespace {

/// How many times a size lies below or above the sizes of a row, as a logarithm; 0 among them.
double distance(const MeasuredKernel& row, std::int64_t values) {
  const std::int64_t nearest = std::clamp(values, row.smallest, row.largest);
  return std::abs(
      std::log(static_cast<double>(std::max<std::int64_t>(values, 1)) / static_cast<double>(nearest)));
}

}  // namespace

const MeasuredKernel* find_measured_kernel(std::span<const MeasuredKernel> rows, std::string_view method,
                                           std::int64_t values) {
  const MeasuredKernel* found = nullptr;
  for (const MeasuredKernel& row : rows) {
    if (row.method != method) continue;
    if (found == nullptr || distance(row, values) < distance(*found, values)) found = &row;
  }
  return found;
}

Seconds restoring_time(std::span<const RestoringCost> costs, double values, double ratio) {
  if (costs.size() == 1) return costs.front().time(values);
  const auto above = std::ranges::lower_bound(costs, ratio, {}, &RestoringCost::ratio);
  const auto high =
      static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - costs.begin(), 1, std::ssize(costs) - 1));
  const RestoringCost& low = costs[high - 1];
  const Seconds first = low.time(values), second = costs[high].time(values);
  const double way = std::log(ratio / low.ratio) / std::log(costs[high].ratio / low.ratio);
  const bool has_logarithms = first > Seconds{} && second > Seconds{};
  if (!has_logarithms) return std::max(Seconds{}, first + (second - first) * way);
  return first * std::pow(second / first, way);
}

}  // namespace netmodels
