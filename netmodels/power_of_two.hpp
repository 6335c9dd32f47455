// Logarithms of rank counts, and the folding that makes any number of ranks a power of two.
#pragma once

#include <bit>
#include <cstdint>

namespace netmodels {

/// The number of doublings from 1 to at least `ranks`: ceil(log2 ranks); 0 for one rank.
constexpr std::uint32_t doublings(std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::bit_width(ranks - 1));
}

/// The largest power of two that is not above `ranks`.
constexpr std::uint32_t power_of_two_below(std::uint32_t ranks) { return std::bit_floor(ranks); }

}  // namespace netmodels
