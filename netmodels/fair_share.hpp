// Max-min fair rates of flows that share links.
#pragma once

#include <span>
#include <vector>

#include "netmodels/network.hpp"

namespace netmodels {

/// Rates at which no flow can be given more without taking from one that has no more than it: all flows rise
/// together, and those on the first link to fill up stop rising.
///
/// @param routes  the links of each flow; a flow without links has an infinite rate
/// @param links   by LinkId; every link of a route is in it
/// @returns one rate per flow
/// Source: Bertsekas & Gallager, "Data Networks", 2nd edition, 1992, section 6.5.2.
std::vector<Bandwidth> fair_rates(std::span<const Route* const> routes, std::span<const LinkState> links);

}  // namespace netmodels
