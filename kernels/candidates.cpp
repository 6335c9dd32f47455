// The one-pass scan above a threshold, the radix selection, and the sample that makes the scan short.
#include "kernels/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "kernels/lanes.hpp"
#include "kernels/philox.hpp"

namespace kernels {
namespace {

/// The digits of a magnitude, from the top: the digits above are known, these are counted next.
struct Digit {
  int shift;
  int bits;
};
constexpr std::array<Digit, 3> digits{{{20, 11}, {9, 11}, {0, 9}}};

constexpr std::size_t sampled_run = 16;      // floats: one cache line
constexpr std::size_t smallest_sample = 64;  // runs
constexpr std::size_t sampled_share = 64;    // one run of this number
constexpr std::size_t too_few = 8192;        // values, for a sample to pay

using Block = std::array<Magnitudes, block_vectors>;

/// Sixteen values: adds the residual and writes it back, sums the squares, keeps the magnitudes.
/// @returns one bit for each value that reaches the threshold
template <bool fed>
[[gnu::always_inline]] inline std::uint32_t scan_block(const float* gradient, float* residual,
                                                       Magnitude threshold, LaneSums& squares, Block& found) {
  Block hits;
  for (std::size_t vector = 0; vector < block_vectors; ++vector) {
    const std::size_t at = vector * lanes;
    Floats four = load(gradient + at);
    if constexpr (fed) {
      four += load(residual + at);
      store(residual + at, four);
    }
    squares.add_squares(vector, four);
    found[vector] = magnitudes(four);
    hits[vector] = found[vector] >= threshold;
  }
  return mask(hits);
}

}  // namespace

Magnitude kth_largest(std::span<const Magnitude> sizes, std::int64_t k) {
  assert(k >= 1 && k <= static_cast<std::int64_t>(sizes.size()));
  std::array<std::int64_t, 2048> counts;
  Magnitude known = 0;  // the digits found so far
  for (const Digit digit : digits) {
    const int above = digit.shift + digit.bits;
    const Magnitude mask = (1 << digit.bits) - 1;
    counts.fill(0);
    for (const Magnitude size : sizes) {
      const bool same = (size >> above) == (known >> above);
      counts[static_cast<std::size_t>((size >> digit.shift) & mask)] += same ? 1 : 0;
    }
    Magnitude bin = mask;
    while (k > counts[static_cast<std::size_t>(bin)]) k -= counts[static_cast<std::size_t>(bin--)];
    known |= bin << digit.shift;
  }
  return known;
}

template <bool fed>
double Candidates::scan(std::span<const float> gradient, float* residual, Magnitude threshold) {
  const std::size_t elements = gradient.size();
  assert(static_cast<std::int64_t>(elements) <= most_elements);
  Index* indices = indices_.reserve(static_cast<std::int64_t>(elements));
  Magnitude* sizes = sizes_.reserve(static_cast<std::int64_t>(elements));
  const std::size_t whole = elements / block * block;
  std::size_t count = 0;
  LaneSums squares;
  const auto take = [&](std::size_t i, Magnitude size) {
    indices[count] = static_cast<Index>(i);
    sizes[count++] = std::min(size, nan_magnitude);
  };
  for (std::size_t i = 0; i < whole; i += block) {
    Block found;
    std::uint32_t left =
        scan_block<fed>(&gradient[i], fed ? residual + i : nullptr, threshold, squares, found);
    for (; left != 0; left &= left - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(left));
      take(i + j, found[j / lanes][j % lanes]);
    }
  }
  for (std::size_t i = whole; i < elements; ++i) {
    float value = gradient[i];
    if constexpr (fed) value = residual[i] += value;
    squares.add_one(i, static_cast<double>(value) * value);
    if (magnitude(value) >= threshold) take(i, magnitude(value));
  }
  count_ = static_cast<std::int64_t>(count);
  return squares.total();
}

double Candidates::collect(std::span<const float> values, Magnitude threshold) {
  return scan<false>(values, nullptr, threshold);
}

double Candidates::collect_fed(std::span<const float> gradient, std::span<float> residual,
                               Magnitude threshold) {
  assert(gradient.size() == residual.size());
  return scan<true>(gradient, residual.data(), threshold);
}

void Candidates::keep_at_least(Magnitude threshold) {
  keep_if([threshold](Magnitude size) { return size >= threshold; });
}

void Candidates::keep_largest(std::int64_t k) {
  assert(k >= 0 && k <= count_);
  if (k == count_) return;
  if (k == 0) {
    count_ = 0;
    return;
  }
  const Magnitude last = kth_largest(sizes(), k);
  const std::int64_t larger = std::ranges::count_if(sizes(), [last](Magnitude size) { return size > last; });
  std::int64_t equals = k - larger;
  keep_if([last, &equals](Magnitude size) {
    const bool equal = size == last;
    const bool keep = size > last || (equal && equals > 0);
    equals -= equal ? 1 : 0;
    return keep;
  });
}

Magnitude SampledThreshold::find(std::span<const float> values, std::span<const float> residual,
                                 std::int64_t k) {
  const std::size_t elements = values.size();
  if (elements < too_few) return 0;
  const std::size_t runs = std::max(smallest_sample, elements / sampled_share / sampled_run);
  const std::size_t stretch = elements / runs;  // one run somewhere in each
  const auto sampled = static_cast<std::int64_t>(runs * sampled_run);
  const double expected =
      static_cast<double>(sampled) * static_cast<double>(k) / static_cast<double>(elements);
  const auto rank = static_cast<std::int64_t>(std::ceil(expected + 4 * std::sqrt(expected) + 4));
  if (rank > sampled / 2) return 0;
  Magnitude* sample = sample_.reserve(sampled);
  const RandomStream stream{elements, 0};  // any fixed numbers do
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t first = run * stretch + stream.below(stretch - sampled_run + 1, run);
    for (std::size_t i = first; i < first + sampled_run; ++i) {
      *sample++ = magnitude(residual.empty() ? values[i] : values[i] + residual[i]);
    }
  }
  return kth_largest(sample_.first(sampled), rank);
}

}  // namespace kernels
