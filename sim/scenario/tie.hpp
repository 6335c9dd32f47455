// The difference between two predicted times that counts as none.
#pragma once

#include <string_view>

namespace sim::scenario {

/// Relative. Nine of ten predicted exchanges were as close to measured ones, so that a smaller difference
/// between two arms decides nothing. Source: ACCURACY.md, live MPI collectives, clean.
inline constexpr double tie = 0.075;
inline constexpr std::string_view tie_text = "7.5 %";  ///< the same, for messages and keys

}  // namespace sim::scenario
