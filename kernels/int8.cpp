// Block maxima and rounding to nearest even.
#include "kernels/int8.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "kernels/level_step.hpp"
#include "kernels/statistics.hpp"

namespace kernels {
namespace {

constexpr float levels = 127;

/// Rounds to the nearest whole number, halves to even, for |value| < 2^22: the sum has no bits left for a
/// fraction.
float rounded(float value) {
  constexpr float magic = 0x1.8p23F;
  return (value + magic) - magic;
}

/// Codes one block; returns the sum of the squared codes.
std::int64_t code_block(std::span<const float> values, float largest, std::uint8_t* codes) {
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto code = static_cast<std::int32_t>(rounded(values[i] / largest * levels));
    squares += std::int64_t{code} * code;
    codes[i] = static_cast<std::uint8_t>(code);
  }
  return squares;
}

}  // namespace

Int8::Int8(const Settings& settings) : settings_(settings) {
  assert(settings.block >= 1);
  settings_.block = std::min(settings.block, most_elements);  // so that no sum of indices overflows
}

Message Int8::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::span<std::uint8_t> bytes = codes(elements);
  const std::span<float> largest = scales((elements + settings_.block - 1) / settings_.block);
  Energy energy;
  for (std::size_t number = 0; number < largest.size(); ++number) {
    const std::size_t first = number * static_cast<std::size_t>(settings_.block);
    const auto size = std::min(static_cast<std::size_t>(settings_.block), vector.size() - first);
    const std::span<const float> values = vector.subspan(first, size);
    const Statistics found = measure(values);
    const bool finite = found.finite == static_cast<std::int64_t>(size);
    largest[number] = finite ? absolute(found.largest) : std::numeric_limits<float>::quiet_NaN();
    std::int64_t squares = 0;
    if (largest[number] > 0) {
      squares = code_block(values, largest[number], &bytes[first]);
    } else {
      std::ranges::fill(bytes.subspan(first, size), std::uint8_t{0});
    }
    const double step = static_cast<double>(level_step(largest[number], levels));
    energy.given += found.energy;
    energy.sent += step * step * static_cast<double>(squares);
  }
  return coded(elements, largest, bytes, energy);
}

void Int8::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size();) {
    const std::int64_t number = (first + static_cast<std::int64_t>(i)) / settings_.block;
    const float step = level_step(message.values[static_cast<std::size_t>(number)], levels);
    const auto end = std::min(out.size(), static_cast<std::size_t>((number + 1) * settings_.block - first));
    for (; i < end; ++i) {
      const auto code = static_cast<std::int8_t>(message.codes[static_cast<std::size_t>(first) + i]);
      out[i] = step * static_cast<float>(code);
    }
  }
}

}  // namespace kernels
