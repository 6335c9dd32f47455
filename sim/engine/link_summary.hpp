// The links of a cluster in a few lines: which there are, by the names that a scenario may use, and what they
// do.
#pragma once

#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

/// One line for each run of links of one role and one state, in the order of the link table:
/// "worker0 ... worker7 (8 own links, both directions): 10 Gbit/s, 1 ms end to end". Values are in the terms
/// of `cluster.changes`: end to end where two such links share a latency. A duplex link is named without
/// direction where both do the same.
std::vector<std::string> link_summary(const Platform& platform, const netmodels::NetworkState& state);

}  // namespace sim::engine
