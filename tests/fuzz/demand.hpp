// How a fuzzer's target says that a claim does not hold.
#pragma once

#include <cstdlib>

namespace fuzz {

/// Ends the program where a claim does not hold, so that a fuzzer keeps the input.
inline void demand(bool claim) {
  if (!claim) std::abort();
}

}  // namespace fuzz
