// Bandwidth and latency over time, from a CSV file.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// Reads the columns time_s and bandwidth_bit_per_s or latency_s or both; `#` lines are provenance.
/// @returns the points in order of time, or an Error with file:line:column for a table that is malformed,
/// times that
///          do not rise, or a bandwidth of zero
netmodels::Result<std::vector<LinkTrace::Point>> read_trace(const std::filesystem::path& path);

}  // namespace sim::scenario
