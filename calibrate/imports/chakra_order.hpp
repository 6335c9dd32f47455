// The nodes of a Chakra trace in an order in which each stands behind all that it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/imports/chakra_trace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Indices into `ChakraTrace::nodes`, and what could not be followed.
struct ChakraOrder {
  std::vector<std::size_t> nodes;
  std::int64_t dangling_data = 0;     ///< data dependencies on nodes that the trace does not hold
  std::int64_t dangling_control = 0;  ///< control dependencies likewise
};

/// Follows the data dependencies; of all nodes that are free, the one with the smallest id comes first. The
/// control dependencies say who called whom, and real traces hold circles of them; they are counted alone.
/// @returns an Error for an id that stands twice, and for nodes that need each other in a circle
netmodels::Result<ChakraOrder> order_chakra(const ChakraTrace& trace);

}  // namespace calibrate::imports
