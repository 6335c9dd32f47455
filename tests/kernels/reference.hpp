// Shared parts of the compressors' tests: vectors of every kind, and the definitions in their plainest form.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/compressor.hpp"

namespace kernels::reference {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float denormal = std::numeric_limits<float>::denorm_min();

using Random = std::mt19937_64;

inline std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }

inline std::vector<float> normal_vector(std::size_t size, std::uint64_t seed, float deviation = 1e-3F) {
  Random random(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> vector(size);
  for (float& value : vector) value = normal(random);
  return vector;
}

/// One value of a kind: bell-shaped, heavy-tailed, of few levels, all equal, zeros, denormal, or any bits at
/// all.
inline float random_value(Random& random, std::uint64_t kind) {
  const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
  const float sign = (random() & 1U) != 0 ? 1.0F : -1.0F;
  switch (kind) {
    case 0: return sign * static_cast<float>(std::sqrt(-2 * std::log(1 - unit)) * std::cos(6.2831853 * unit));
    case 1: return sign * static_cast<float>(std::pow(1 - unit, -1.5));
    case 2: return sign * static_cast<float>(random() % 4);
    case 3: return 0.25F * sign;
    case 4: return sign * 0.0F;
    case 5: return sign * std::bit_cast<float>(static_cast<std::uint32_t>(random() % 1000));
    default: return std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  }
}

constexpr std::uint64_t finite_kinds = 6;
constexpr std::uint64_t all_kinds = 7;

inline std::vector<float> random_vector(Random& random, std::size_t size, std::uint64_t kinds = all_kinds) {
  const std::uint64_t kind = below(random, kinds);
  std::vector<float> vector(size);
  for (float& value : vector) value = random_value(random, kind);
  return vector;
}

/// Mostly small and odd sizes, 0 and 1 often.
inline std::size_t random_size(Random& random, std::uint64_t most = 200) {
  return below(random, below(random, most) + 1);
}

inline double random_ratio(Random& random) {
  constexpr double ratios[] = {0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 1};
  return ratios[below(random, 7)];
}

/// The order of values: |v|, then infinity, then NaN.
inline double plain_size(float value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return std::isinf(value) ? std::numeric_limits<double>::max() : std::abs(static_cast<double>(value));
}

/// The places of the k largest by a full sort: (|v| descending, index ascending); then in ascending order.
inline std::vector<Index> sorted_top_k(std::span<const float> vector, std::int64_t k) {
  std::vector<Index> places(vector.size());
  std::iota(places.begin(), places.end(), 0U);
  std::ranges::stable_sort(places,
                           [&](Index a, Index b) { return plain_size(vector[a]) > plain_size(vector[b]); });
  places.resize(static_cast<std::size_t>(k));
  std::ranges::sort(places);
  return places;
}

inline std::int64_t plain_kept(double ratio, std::size_t elements) {
  if (elements == 0) return 0;
  const double nominal = std::floor(ratio * static_cast<double>(elements) + 0.5);
  return static_cast<std::int64_t>(std::max(1.0, nominal));
}

inline double plain_energy(std::span<const float> vector) {
  double sum = 0;
  for (const float value : vector) sum += static_cast<double>(value) * value;
  return sum;
}

inline bool same_bits(std::span<const float> left, std::span<const float> right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0);
}

inline std::vector<Index> places_of(const Message& message) {
  return {message.indices.begin(), message.indices.end()};
}

/// Equal to 10^-9 of their size, or both NaN, or both the same infinity.
inline bool near(double left, double right, double tolerance = 1e-9) {
  if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
  return left == right || std::abs(left - right) <= tolerance * std::max(std::abs(left), std::abs(right));
}

/// Restores what the receivers have.
inline std::vector<float> restored_by(const Compressor& compressor, const Message& message) {
  std::vector<float> vector(static_cast<std::size_t>(message.elements));
  compressor.restore(message, vector);
  return vector;
}

/// The vector with zeros at the places sent, where all else is as it was.
inline std::vector<float> unsent(std::span<const float> vector, const Message& message) {
  std::vector<float> rest(vector.begin(), vector.end());
  for (const Index place : message.indices) rest[place] = 0;
  return rest;
}

/// A sparsifier's promises for any vector: places ascend, values are the vector's bits there, sent + residual
/// is the vector, bytes and energies are those of the pairs.
inline void expect_selection(const Compressor& compressor, std::span<const float> vector,
                             const Message& message, int index_bytes = 4) {
  ASSERT_EQ(message.elements, static_cast<std::int64_t>(vector.size()));
  ASSERT_EQ(message.values.size(), message.indices.size());
  ASSERT_TRUE(message.codes.empty());
  for (std::size_t i = 0; i < message.indices.size(); ++i) {
    ASSERT_LT(message.indices[i], vector.size());
    ASSERT_TRUE(i == 0 || message.indices[i - 1] < message.indices[i]);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(message.values[i]),
              std::bit_cast<std::uint32_t>(vector[message.indices[i]]));
  }
  ASSERT_EQ(message.wire_bytes, (4 + index_bytes) * static_cast<std::int64_t>(message.indices.size()));
  ASSERT_TRUE(near(message.energy.sent, plain_energy(message.values)));
  ASSERT_TRUE(near(message.energy.given, plain_energy(vector)));
  std::vector<float> rest(vector.begin(), vector.end());
  compressor.subtract(message, rest);
  ASSERT_TRUE(same_bits(rest, unsent(vector, message)));
  std::vector<float> whole = rest;
  compressor.accumulate(message, whole);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_TRUE(whole[i] == vector[i] || (std::isnan(whole[i]) && std::isnan(vector[i])));
  }
}

/// A coder's promises: the restored values have the stated energy; the residual is the difference, finite.
inline void expect_coding(const Compressor& compressor, std::span<const float> vector,
                          const Message& message) {
  ASSERT_EQ(message.elements, static_cast<std::int64_t>(vector.size()));
  ASSERT_TRUE(message.indices.empty());
  std::vector<float> restored(vector.size(), 7.0F), rest(vector.begin(), vector.end());
  compressor.restore(message, restored);
  compressor.subtract(message, rest);
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const float left = vector[i] - restored[i];
    ASSERT_EQ(rest[i], std::isfinite(left) ? left : 0.0F);
  }
  ASSERT_TRUE(near(message.energy.given, plain_energy(vector)));
  // The steps of denormal scales are too coarse for their squares to agree.
  const bool coarse = message.energy.given <= 1e-60;
  ASSERT_TRUE(coarse || near(message.energy.sent, plain_energy(restored), 1e-5));
}

}  // namespace kernels::reference
