// A workload as a trace shows it, before it is written as files of ours.
#include "calibrate/imports/traced_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace calibrate::imports {

netmodels::Seconds TracedWorkload::step() const {
  netmodels::Seconds sum = host_overhead + optimizer;
  for (const TracedLayer& layer : layers) sum += layer.forward + layer.backward;
  return sum;
}

std::string counted(std::int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace calibrate::imports
