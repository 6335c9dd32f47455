// A random order of some numbers, drawn from a counter-based stream.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "kernels/philox.hpp"

namespace learning::datasets {

/// Puts the numbers into a random order, a function of the stream and their count alone. For one or two of
/// many places, kernels::Permutation is the quicker way; for all of them this is, some five times.
/// @param numbers  n < 2^32 of them; each order's draws are even to within n / 2^32
/// Source: Durstenfeld, "Algorithm 235: Random Permutation", CACM 7(7), 1964.
inline void shuffle(std::span<std::uint32_t> numbers, const kernels::RandomStream& stream) {
  std::uint64_t block = 0;
  for (std::size_t left = numbers.size(); left > 1;) {
    for (const std::uint64_t word : stream.block(block++)) {
      if (left <= 1) break;
      const std::uint64_t place = word * left >> 32;
      std::swap(numbers[--left], numbers[place]);
    }
  }
}

}  // namespace learning::datasets
