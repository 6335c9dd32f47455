// Why one arm is faster than another: the part of the step that decided it.
#pragma once

#include <string>

#include "sim/output/contest.hpp"

namespace sim::output {

/// A clause that begins with "because" and holds both arms' figures for the part of the step in which most of the
/// difference lies; with "although" where another part takes a good share of the gain back.
/// @param fast, slow  under the same state of the network; `fast` takes less time per step or per sample
std::string reason(const Contender& fast, const Contender& slow);

}  // namespace sim::output
