// Drawing indices, with or without replacement.
#include "kernels/random_k.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/magnitude.hpp"
#include "kernels/permutation.hpp"
#include "kernels/philox.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

RandomK::RandomK(const Settings& settings) : Sparsifier(0), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1);
}

void RandomK::draw(std::int64_t elements, std::int64_t k) {
  const RandomStream stream{settings_.seed, next_step()};
  if (elements == 0) return;
  const auto bound = static_cast<std::uint64_t>(elements);
  indices_.reserve(k);
  std::uint64_t number = 0;
  if (settings_.replacement) {
    for (Index& index : indices_.first(k)) index = static_cast<Index>(stream.below(bound, number++));
  } else {
    const Permutation order(bound, stream);
    for (Index& index : indices_.first(k)) index = static_cast<Index>(order(number++));
  }
  std::ranges::sort(indices_.first(k));
}

/// Fills `drawn_`; returns the energy of what they restore to.
double RandomK::read(std::span<const float> vector, std::int64_t k) {
  const std::span<const Index> indices = indices_.first(k);
  float* drawn = drawn_.reserve(k);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool again = i > 0 && indices[i] == indices[i - 1];
    drawn[i] = again && !settings_.scaled ? 0 : vector[indices[i]];
  }
  if (settings_.scaled) {
    const float scale = static_cast<float>(vector.size()) / static_cast<float>(k);
    for (float& value : drawn_.first(k)) value *= scale;
  }
  double sent = 0;
  double here = 0;  // sum of the draws of one index
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const bool again = i > 0 && indices[i] == indices[i - 1];
    here = again ? here + drawn[i] : drawn[i];
    const bool last = i + 1 == indices.size() || indices[i + 1] != indices[i];
    sent += last ? here * here : 0;
  }
  return sent;
}

Message RandomK::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t k = kept(settings_.ratio, elements);
  draw(elements, k);
  const double sent = read(vector, k);
  const std::int64_t bytes = k * static_cast<std::int64_t>(sizeof(float));
  return {elements, drawn_.first(k), indices_.first(k), {}, bytes, {sent, energy(vector)}};
}

}  // namespace kernels
