// Why one arm is faster or slower than another: the part of the step that decided it.
#pragma once

#include <string>

#include "sim/output/contest.hpp"

namespace sim::output {

/// A clause that begins with "because" and holds the figures of `one`, then those of `other`, for the part of
/// the time per step in which most of the difference lies; with "although" where another part goes the other
/// way.
std::string reason(const Contender& one, const Contender& other);

}  // namespace sim::output
