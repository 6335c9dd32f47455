// Exact top-k of each layer, joined.
#include "kernels/layerwise_top_k.hpp"

#include <cassert>
#include <utility>

#include "kernels/magnitude.hpp"

namespace kernels {

LayerwiseTopK::LayerwiseTopK(Settings settings)
    : Sparsifier(settings.index_bytes), settings_(std::move(settings)) {
  assert(settings_.ratio > 0 && settings_.ratio <= 1);
  for (const std::int64_t size : settings_.layer_sizes) {
    assert(size >= 0);
    elements_ += size;
    kept_ += kept(settings_.ratio, size);
  }
  indices_.reserve(kept_);
}

template <class Select>
double LayerwiseTopK::each_layer(Select select) {
  Index* to = indices_.data();
  std::size_t first = 0;
  double given = 0;
  for (const std::int64_t layer_size : settings_.layer_sizes) {
    const auto size = static_cast<std::size_t>(layer_size);
    given += select(first, size, kept(settings_.ratio, layer_size));
    for (const Index index : largest_.indices()) *to++ = index + static_cast<Index>(first);
    first += size;
  }
  return given;
}

Message LayerwiseTopK::compress(std::span<const float> vector) {
  assert(static_cast<std::int64_t>(vector.size()) == elements_);
  const double given = each_layer([&](std::size_t first, std::size_t size, std::int64_t k) {
    return largest_.select(vector.subspan(first, size), k);
  });
  return gathered(vector, indices_.first(kept_), given);
}

Message LayerwiseTopK::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  assert(static_cast<std::int64_t>(gradient.size()) == elements_);
  const double given = each_layer([&](std::size_t first, std::size_t size, std::int64_t k) {
    return largest_.select_fed(gradient.subspan(first, size), residual.subspan(first, size), k);
  });
  const Message message = gathered(residual, indices_.first(kept_), given);
  subtract(message, residual);
  return message;
}

}  // namespace kernels
