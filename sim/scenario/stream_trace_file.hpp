// Rates of streams over time, from a CSV file.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/batching.hpp"

namespace sim::scenario {

/// Columns time_s, worker, rate_samples_per_s: from then on the worker's stream has that rate.
/// @param workers  how many there are
/// @returns the changes, or an Error with its place for a file that cannot be read, times that fall, a worker
///          that does not exist, and a rate of 0
netmodels::Result<std::vector<StreamRateChange>> read_stream_trace(const std::filesystem::path& path,
                                                                   int workers);

}  // namespace sim::scenario
