// Adding and subtracting decoded values, one stretch at a time.
#include "kernels/coder.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/magnitude.hpp"

namespace kernels {

template <class Use>
void Coder::each_stretch(const Message& message, std::span<float> vector, Use use) const {
  assert(static_cast<std::int64_t>(vector.size()) == message.elements);
  std::array<float, stretch> decoded;
  for (std::int64_t first = 0; first < message.elements; first += stretch) {
    const auto size = static_cast<std::size_t>(std::min(stretch, message.elements - first));
    decode(message, first, std::span(decoded).first(size));
    float* values = &vector[static_cast<std::size_t>(first)];
    for (std::size_t i = 0; i < size; ++i) values[i] = use(values[i], decoded[i]);
  }
}

void Coder::accumulate(const Message& message, std::span<float> sum) const {
  each_stretch(message, sum, [](float value, float decoded) { return value + decoded; });
}

void Coder::subtract(const Message& message, std::span<float> vector) const {
  each_stretch(message, vector, [](float value, float decoded) {
    const float left = value - decoded;
    return is_finite(left) ? left : 0.0F;
  });
}

}  // namespace kernels
