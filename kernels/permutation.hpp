// A random order of 0 .. n-1 of which any place can be asked by itself, without memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "kernels/philox.hpp"

namespace kernels {

/// A permutation of [0, n) drawn by a RandomStream: an alternating Feistel network over ceil(log2 n) bits
/// (at least 8), applied again while its result is not below n (from n = 128 on less than twice on average).
/// So k distinct places are drawn in any order, on any device, by k independent computations.
///
/// Leaves out: uniformity over all n! orders; single places and pairs are as if drawn at random.
/// Source: Luby & Rackoff, "How to Construct Pseudorandom Permutations from Pseudorandom Functions", SIAM J.
///         Comput. 17(2), 1988; for drawing, Mitchell et al., "Bandwidth-Optimal Random Shuffling for GPUs",
///         ACM TOPC 9(1), 2022.
class Permutation {
 public:
  /// @param elements  n, in [1, 2^32]
  Permutation(std::uint64_t elements, const RandomStream& stream)
      : elements_(elements), low_bits_((width(elements) + 1) / 2) {
    assert(elements >= 1);
    low_mask_ = (std::uint64_t{1} << low_bits_) - 1;
    high_mask_ = (std::uint64_t{1} << (width(elements) - low_bits_)) - 1;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const auto words = stream.block(i);
      keys_[i] = std::uint64_t{words[0]} << 32 | words[1];
    }
  }

  /// The place of number `index` < n in the random order.
  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t index) const {
    do {
      std::uint64_t low = index & low_mask_;
      std::uint64_t high = index >> low_bits_;
      for (std::uint64_t i = 0; i < rounds; i += 2) {
        low ^= mixed(high ^ keys_[i]) & low_mask_;
        high ^= mixed(low ^ keys_[i + 1]) & high_mask_;
      }
      index = high << low_bits_ | low;
    } while (index >= elements_);
    return index;
  }

 private:
  static constexpr std::uint64_t rounds = 8;

  /// Bits that the places of n values take; never so few that eight rounds cannot mix them.
  static constexpr int width(std::uint64_t elements) {
    return std::max(8, 64 - std::countl_zero(elements - 1));
  }

  /// Every bit of the result depends on every bit of the word: MurmurHash3's 64-bit finaliser (A. Appleby).
  static constexpr std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ word >> 33) * 0xff51afd7ed558ccdULL;
    word = (word ^ word >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return word ^ word >> 33;
  }

  std::uint64_t elements_;
  int low_bits_;
  std::uint64_t low_mask_ = 0;
  std::uint64_t high_mask_ = 0;
  std::uint64_t keys_[rounds] = {};
};

}  // namespace kernels
