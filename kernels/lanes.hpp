// Four floats at a time, written once for every instruction set; only for the inner loops of kernels/.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/magnitude.hpp"

namespace kernels {

// The vector extension that g++ and clang share: lanes are elements, and the arithmetic is the scalar one.
using Floats = float __attribute__((vector_size(16)));
using Magnitudes = std::int32_t __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

constexpr std::size_t lanes = 4;          ///< lanes of one vector
constexpr std::size_t block_vectors = 4;  ///< handled together, to hide the latency of additions
constexpr std::size_t block = lanes * block_vectors;

[[gnu::always_inline]] inline Floats load(const float* from) {
  Floats values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

[[gnu::always_inline]] inline void store(float* to, Floats values) {
  std::memcpy(to, &values, sizeof values);
}

/// Magnitudes but for NaN, which are still apart here; a comparison with any magnitude is the same.
[[gnu::always_inline]] inline Magnitudes magnitudes(Floats values) {
  Magnitudes bits;
  std::memcpy(&bits, &values, sizeof bits);
  return bits & 0x7fffffff;
}

/// One bit for each of a block's comparison results, the first value's lowest.
[[gnu::always_inline]] inline std::uint32_t mask(const std::array<Magnitudes, block_vectors>& hits) {
#ifdef __SSE2__
  __m128i words[block_vectors];
  std::memcpy(words, hits.data(), sizeof words);
  const __m128i low = _mm_packs_epi32(words[0], words[1]);
  const __m128i high = _mm_packs_epi32(words[2], words[3]);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < block; ++i) bits |= (hits[i / lanes][i % lanes] != 0 ? 1U : 0U) << i;
  return bits;
#endif
}

/// Sixteen sums in double precision: value i goes to lane i mod 16.
class LaneSums {
 public:
  [[gnu::always_inline]] void add(std::size_t vector, Floats values) {
    sums_[vector] += __builtin_convertvector(values, Doubles);
  }
  [[gnu::always_inline]] void add_squares(std::size_t vector, Floats values) {
    const Doubles wide = __builtin_convertvector(values, Doubles);
    sums_[vector] += wide * wide;
  }
  [[gnu::always_inline]] void add_products(std::size_t vector, Floats left, Floats right) {
    sums_[vector] += __builtin_convertvector(left, Doubles) * __builtin_convertvector(right, Doubles);
  }
  void add_one(std::size_t index, double value) { sums_[index % block / lanes][index % lanes] += value; }

  /// The lanes added pairwise.
  [[nodiscard]] double total() const {
    const Doubles four = (sums_[0] + sums_[2]) + (sums_[1] + sums_[3]);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }

 private:
  std::array<Doubles, block_vectors> sums_{};
};

}  // namespace kernels
