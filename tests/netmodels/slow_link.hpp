// The link that figures by hand of the collectives' closed forms use.
#pragma once

#include "netmodels/network.hpp"

namespace netmodels::testing {

/// 1 ms and 100 MB/s.
inline constexpr LinkState kLink{{1e-3}, {100e6}};

}  // namespace netmodels::testing
