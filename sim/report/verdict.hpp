// Sentences that say which arm wins, by how much, and which part of the step decided it.
#pragma once

#include <string>
#include <vector>

#include "sim/report/comparison.hpp"

namespace sim::report {

/// One sentence: the fastest arm, by how much over the runner-up and over the best dense arm, and why.
///
/// The reason is the part of the step (compute, wait, compress, exchange) in which most of the difference to
/// the runner-up lies. An exchange is split further into what it costs on links of infinite bandwidth and the
/// rest, so that bytes, rounds and overlap are told apart. At the end stands whether the
/// fastest arm, or one as fast, compresses in a time that nobody knows.
std::string verdict(const Comparison& comparison);

/// One sentence: what the world of the second arm costs or saves against that of the first, and why.
std::string difference(const Comparison& comparison);

/// One sentence for each comparison, then one for each comparison of worlds; where there are many (a product
/// of axes), how often each arm of the axis wins.
std::vector<std::string> verdicts(const SimulatedStudy& study);

}  // namespace sim::report
