// A run of random numbers in [0, 1), one for each index of a vector.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/philox.hpp"

namespace kernels {

/// out[i] = unit_interval(word(first + i)) of the stream.
inline void fill_uniform(const RandomStream& stream, std::uint64_t first, std::span<float> out) {
  std::size_t i = 0;
  for (; i < out.size() && (first + i) % 4 != 0; ++i) out[i] = unit_interval(stream.word(first + i));
  for (; i + 4 <= out.size(); i += 4) {
    const auto words = stream.block((first + i) / 4);
    for (std::size_t word = 0; word < 4; ++word) out[i + word] = unit_interval(words[word]);
  }
  for (; i < out.size(); ++i) out[i] = unit_interval(stream.word(first + i));
}

}  // namespace kernels
