// The states that a free homogeneous network goes through, as closed forms need them.
#pragma once

#include <optional>
#include <vector>

#include "netmodels/collective.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

/// Latency and bandwidth between any two workers: as stated, and after each change or at each point of a
/// trace.
/// @returns nothing where closed forms do not hold: links that differ, that are shared by several workers or
///          by other traffic, any topology but a star, flows that SimGrid models as TCP, and changes beside
///          traces, whose order is not known before they are played
std::optional<std::vector<netmodels::LinkState>> link_states(const scenario::Cluster& cluster);

}  // namespace sim::advise
