// Which share of its steps each arm spent with what: the densities of ratios, collectives and compressors.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "command_line/table.hpp"
#include "sim/report/run_summary.hpp"

namespace sim::report {

/// Whether some arm used more than one.
template <class T>
bool has_several(const std::vector<Uses<T>>& arms) {
  return std::ranges::any_of(arms, [](const Uses<T>& uses) { return uses.steps.size() > 1; });
}

/// One row for each arm; one column of shares for each name, in the order of the names.
command_line::Table use_shares(std::span<const Uses<std::string>> arms);

/// Likewise by compression ratio, rising. More than ten different ones are put together between 1, 2 and 5
/// times powers of ten, each range with its lower end.
command_line::Table ratio_shares(std::span<const Uses<double>> arms);

}  // namespace sim::report
