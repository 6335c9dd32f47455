// Philox 4x32-10: random numbers as a function of a counter and a key, the same on every rank and device.
#pragma once

#include <array>
#include <cstdint>

namespace kernels {

/// Four 32-bit words for one counter under one key; ten rounds.
///
/// Source: Salmon, Moraes, Dror & Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011, section 3.3;
///         multipliers and Weyl increments of its Philox4x32.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = 0xd2511f53ULL * counter[0];
    const std::uint64_t odd = 0xcd9e8d57ULL * counter[2];
    counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(odd),
               static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(even)};
    key[0] += 0x9e3779b9U;
    key[1] += 0xbb67ae85U;
  }
  return counter;
}

/// The random numbers of one call: the key is the seed, the counter is (number of the block, step), so that
/// word i is found without drawing those before it.
struct RandomStream {
  std::uint64_t seed;
  std::uint64_t step;

  /// Words 4 block .. 4 block + 3.
  [[nodiscard]] constexpr std::array<std::uint32_t, 4> block(std::uint64_t number) const {
    return philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                   static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
                  {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  }

  [[nodiscard]] constexpr std::uint32_t word(std::uint64_t index) const {
    return block(index / 4)[index % 4];
  }

  /// A whole number in [0, bound), bound <= 2^32, from the two words of pair number `index`. 64 bits make
  /// the bias below 2^-32.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound, std::uint64_t index) const {
    const std::array<std::uint32_t, 4> words = block(index / 2);
    const std::uint64_t low = words[2 * (index % 2)];
    const std::uint64_t high = words[2 * (index % 2) + 1];
    return (high * bound + (low * bound >> 32)) >> 32;
  }
};

/// The float in [0, 1) that a word encodes: its upper 24 bits, all of them exact.
constexpr float unit_interval(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24F; }

}  // namespace kernels
