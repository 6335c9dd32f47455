// Finding a method's row.
#include "netmodels/kernel_cost.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace netmodels
