// Four floats at a time, written once for every instruction set; for the inner loops of kernels/ alone.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/magnitude.hpp"

namespace kernels {

// The vector extension that g++ and clang share: lanes are elements, and the arithmetic is the scalar one.
using Floats = float __attribute__((vector_size(16)));
using Magnitudes = std::int32_t __attribute__((vector_size(16)));
using Doubles = double __attribute__((vector_size(32)));

constexpr std::size_t lanes = 4;          ///< of one vector
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

[[gnu::always_inline]] inline Magnitudes magnitudes(Floats values) {
  Magnitudes bits;
  std::memcpy(&bits, &values, sizeof bits);
  return bits & 0x7fffffff;
}

/// Whether any lane of a comparison's result holds.
[[gnu::always_inline]] inline bool any(Magnitudes hits) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &hits, sizeof hits);
  return (halves[0] | halves[1]) != 0;
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
