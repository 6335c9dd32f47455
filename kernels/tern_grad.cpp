// One scale, two bits for each value.
#include "kernels/tern_grad.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/statistics.hpp"
#include "kernels/uniform.hpp"

namespace kernels {

TernGrad::TernGrad(const Settings& settings) : settings_(settings) {
  assert(!settings.clip || *settings.clip > 0);
}

/// The largest magnitude that is left after clipping.
float TernGrad::scale(std::span<const float> vector, float largest) const {
  if (!settings_.clip || vector.empty()) return largest;
  double sum = 0;
  for (const float value : vector) sum += value;
  const double mean = sum / static_cast<double>(vector.size());
  double squares = 0;
  for (const float value : vector) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(vector.size()));
  return std::min(largest, static_cast<float>(*settings_.clip * deviation));
}

Message TernGrad::compress(std::span<const float> vector) {
  const RandomStream stream{settings_.seed, next_step()};
  const auto elements = static_cast<std::int64_t>(vector.size());
  const Statistics found = measure(vector);
  const std::span<float> top = scales(1);
  top[0] = found.finite == elements ? scale(vector, absolute(found.largest))
                                    : std::numeric_limits<float>::quiet_NaN();
  const std::span<std::uint8_t> packed = codes((elements + 3) / 4);
  std::ranges::fill(packed, std::uint8_t{0});
  std::int64_t nonzero = 0;
  std::array<float, stretch> uniform;
  // Nothing to draw where the scale is 0 or NaN.
  for (std::size_t first = 0; top[0] > 0 && first < vector.size(); first += uniform.size()) {
    const std::size_t size = std::min(uniform.size(), vector.size() - first);
    fill_uniform(stream, first, std::span(uniform).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      const float value = vector[first + i];
      const bool hit = uniform[i] < std::abs(value) / top[0];
      const unsigned code = (hit ? 1U : 0U) << (std::signbit(value) ? 1 : 0);  // no branch on chance
      packed[(first + i) / 4] |= static_cast<std::uint8_t>(code << (i % 4 * 2));
      nonzero += hit ? 1 : 0;
    }
  }
  const double sent = static_cast<double>(top[0]) * top[0] * static_cast<double>(nonzero);
  return coded(elements, top, packed, {sent, found.energy});
}

void TernGrad::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  // A fourth entry is never sent. 0 * NaN is NaN: a broken vector stays visible everywhere.
  const float top = message.values[0];
  const std::array<float, 4> meaning{0 * top, top, -top, 0};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const unsigned four = message.codes[(static_cast<std::size_t>(first) + i) / 4];
    out[i] = meaning[four >> (i % 4 * 2) & 3U];
  }
}

}  // namespace kernels
