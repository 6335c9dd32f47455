// A run of random numbers in [0, 1), one for each place of a vector.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/philox.hpp"

namespace kernels {

/// out[i] = unit_interval(word(first + i)) of the stream.
inline void fill_uniform(const RandomStream& stream, std::uint64_t first, std::span<float> out) {
  std::size_t i = 0;
  while (i < out.size()) {
    const std::uint64_t place = first + i;
    const auto words = stream.block(place / 4);
    for (std::size_t word = place % 4; word < 4 && i < out.size(); ++word)
      out[i++] = unit_interval(words[word]);
  }
}

}  // namespace kernels
