// Series over time from CSV files: rates of streams, and bandwidth and latency of links.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/batching.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

// Rates of streams over time, from a CSV file.

/// Columns time_s, worker, rate_samples_per_s: from then on the worker's stream has that rate.
/// @param workers  how many there are
/// @returns the changes, or an Error with its place for a file that cannot be read, times that fall, a worker
///          that does not exist, and a rate of 0
netmodels::Result<std::vector<StreamRateChange>> read_stream_trace(const std::filesystem::path& path,
                                                                   int workers);

// Bandwidth and latency over time, from a CSV file.

/// Reads the columns time_s and bandwidth_bit_per_s or latency_s or both; `#` lines are provenance.
/// @returns the points in order of time, or an Error with file:line:column for a table that is malformed,
/// times that
///          do not rise, or a bandwidth of zero
netmodels::Result<std::vector<LinkTrace::Point>> read_trace(const std::filesystem::path& path);

}  // namespace sim::scenario
