// Why an arm takes less time than another.
#pragma once

#include <string>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// A clause that begins with "because" and holds the figures of `one`, then those of `other`, for the part of
/// the time per step in which most of the difference lies; with "although" where another part goes the other
/// way.
std::string reason(const Candidate& one, const Candidate& other);

}  // namespace sim::report
