// Bandwidths from which on each arm of a sweep is the fastest.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/sweep_table.hpp"

namespace sim::sweep {

/// One sentence for each combination of the other axes, along the first axis of bandwidths: the fastest arms
/// by time per sample, and the bandwidths at which they change. Times between two swept bandwidths are
/// interpolated, straight in the logarithms of both.
/// @returns nothing without an axis of three bandwidths or more, with fewer than two arms that were simulated
/// at all of
///          them, and for more than 6 combinations, which the map of the page shows
std::vector<std::string> crossovers(const SweepTable& table);

}  // namespace sim::sweep
