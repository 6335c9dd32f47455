// Whole-numbered gradients and their sums, computed without a network.
#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/probes/mpi_exchange.hpp"
#include "kernels/top_k.hpp"

namespace calibrate::probes {

float gradient_value(int rank, std::size_t element) {
  // The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014): neighbours are unrelated.
  std::uint64_t bits = (static_cast<std::uint64_t>(rank) << 40) + element + 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return static_cast<float>(static_cast<int>(bits % 65535) - 32767);
}

std::vector<float> gradient_of(int rank, std::size_t elements) {
  std::vector<float> gradient(elements);
  for (std::size_t i = 0; i < elements; ++i) gradient[i] = gradient_value(rank, i);
  return gradient;
}

std::vector<float> dense_sum(int ranks, std::size_t elements) {
  std::vector<float> sum(elements);
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < elements; ++i) sum[i] += gradient_value(rank, i);
  return sum;
}

std::vector<float> top_k_sum(int ranks, std::size_t elements, double ratio) {
  std::vector<float> sum(elements);
  kernels::TopK top_k({.ratio = ratio});
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<float> gradient = gradient_of(rank, elements);
    top_k.accumulate(top_k.compress(gradient), sum);
  }
  return sum;
}

std::vector<float> ar_top_k_sum(int ranks, std::size_t elements, double ratio) {
  std::vector<float> sum(elements);
  kernels::TopK top_k({.ratio = ratio});
  const std::vector<float> gradient = gradient_of(0, elements);
  for (const kernels::Index index : top_k.compress(gradient).indices)
    for (int rank = 0; rank < ranks; ++rank) sum[index] += gradient_value(rank, index);
  return sum;
}

std::vector<int> unequal_parts(int ranks, std::size_t elements) {
  assert(ranks >= 2);
  const double mean = static_cast<double>(elements) / ranks;
  std::vector<int> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    const double share = 0.5 + static_cast<double>(rank) / (ranks - 1);
    parts.push_back(std::max(1, static_cast<int>(std::lround(share * mean))));
  }
  return parts;
}

int pair_words(std::size_t kept) {
  assert(kept <= std::size_t{1} << 28U);
  return static_cast<int>(2 * kept);
}

netmodels::Result<void> compare(std::span<const float> wanted, std::span<const float> got) {
  if (wanted.size() != got.size()) {
    return netmodels::refuse("", fmt::format("{} values instead of {}", got.size(), wanted.size()));
  }
  const auto [want, has] = std::ranges::mismatch(wanted, got);
  if (want == wanted.end()) return {};
  return netmodels::refuse(
      "", fmt::format("value {} is {} instead of {}", std::distance(wanted.begin(), want), *has, *want));
}

}  // namespace calibrate::probes
