// Measured times of collectives, from the file that `calibrate fit` writes.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/measured_collective.hpp"
#include "netmodels/result.hpp"

namespace sim::scenario {

/// Operations that no gradient exchange uses (all-to-all, reduce, point to point) are passed over.
/// @returns the rows in the order of the file, at least one, or an Error with its place for a file that is no
///          file of fits, a fit without segments, ends that do not rise, and a file in which nothing is of
///          use
netmodels::Result<std::vector<netmodels::MeasuredCollective>> read_collective_times(
    const std::filesystem::path& path);

}  // namespace sim::scenario
