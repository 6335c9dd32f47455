// One pass, sixteen values at a time.
#include "kernels/statistics.hpp"

#include <algorithm>

#include "kernels/lanes.hpp"

namespace kernels {
namespace {

/// The lanes' own sums of what is true in each: below 2^31 blocks cannot overflow a lane, n <= 2^32 has
/// fewer.
std::int64_t total(const std::array<Magnitudes, block_vectors>& counts) {
  std::int64_t sum = 0;
  for (const Magnitudes& four : counts) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sum += four[lane];
  }
  return sum;
}

}  // namespace

Statistics measure(std::span<const float> values) {
  const std::size_t whole = values.size() / block * block;
  LaneSums squares, sums;
  Magnitudes largest{};
  std::array<Magnitudes, block_vectors> infinite{};
  for (std::size_t i = 0; i < whole; i += block) {
    for (std::size_t vector = 0; vector < block_vectors; ++vector) {
      const Floats four = load(&values[i + vector * lanes]);
      squares.add_squares(vector, four);
      const Magnitudes sizes = magnitudes(four);
      const Magnitudes finite = sizes & (sizes < infinite_magnitude);
      Floats counted;
      std::memcpy(&counted, &finite, sizeof counted);
      sums.add(vector, counted);
      largest = finite > largest ? finite : largest;
      infinite[vector] -= sizes >= infinite_magnitude;
    }
  }
  Statistics found;
  found.finite = static_cast<std::int64_t>(values.size()) - total(infinite);
  for (std::size_t lane = 0; lane < lanes; ++lane) found.largest = std::max(found.largest, largest[lane]);
  for (std::size_t i = whole; i < values.size(); ++i) {
    squares.add_one(i, static_cast<double>(values[i]) * values[i]);
    if (!is_finite(values[i])) {
      --found.finite;
      continue;
    }
    sums.add_one(i, absolute(magnitude(values[i])));
    found.largest = std::max(found.largest, magnitude(values[i]));
  }
  found.energy = squares.total();
  found.magnitude_sum = sums.total();
  return found;
}

double energy(std::span<const float> values) {
  const std::size_t whole = values.size() / block * block;
  LaneSums squares;
  for (std::size_t i = 0; i < whole; i += block) {
    for (std::size_t vector = 0; vector < block_vectors; ++vector) {
      squares.add_squares(vector, load(&values[i + vector * lanes]));
    }
  }
  for (std::size_t i = whole; i < values.size(); ++i) {
    squares.add_one(i, static_cast<double>(values[i]) * values[i]);
  }
  return squares.total();
}

std::int64_t count_at_least(std::span<const float> values, Magnitude threshold) {
  const std::size_t whole = values.size() / block * block;
  std::array<Magnitudes, block_vectors> counts{};
  for (std::size_t i = 0; i < whole; i += block) {
    for (std::size_t vector = 0; vector < block_vectors; ++vector) {
      counts[vector] -= magnitudes(load(&values[i + vector * lanes])) >= threshold;
    }
  }
  std::int64_t count = total(counts);
  for (std::size_t i = whole; i < values.size(); ++i) count += magnitude(values[i]) >= threshold;
  return count;
}

}  // namespace kernels
