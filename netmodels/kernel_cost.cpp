// Finding a method's row.
#include "netmodels/kernel_cost.hpp"

#include <algorithm>

namespace netmodels {

const MeasuredKernel* find_measured_kernel(std::span<const MeasuredKernel> rows, std::string_view method) {
  const auto found = std::ranges::find(rows, method, &MeasuredKernel::method);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace netmodels
