// Means and maxima of blocks, packed signs and packed halves of bytes.
#include "kernels/blockwise.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "kernels/level_step.hpp"
#include "kernels/signs.hpp"
#include "kernels/statistics.hpp"

namespace kernels {
namespace {

std::int64_t blocks_of(std::int64_t elements, std::int64_t block) { return (elements + block - 1) / block; }

std::span<const float> block_at(std::span<const float> vector, std::int64_t block, std::size_t number) {
  const auto size = static_cast<std::size_t>(block);
  return vector.subspan(number * size, std::min(size, vector.size() - number * size));
}

}  // namespace

// The mean magnitudes and the signs.

Message BlockSign::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::span<float> means = scales(blocks_of(elements, scale_block));
  Energy energy;
  for (std::size_t number = 0; number < means.size(); ++number) {
    const std::span<const float> values = block_at(vector, scale_block, number);
    const Statistics found = measure(values);
    const bool finite = found.finite == static_cast<std::int64_t>(values.size());
    means[number] = finite ? static_cast<float>(found.mean()) : std::numeric_limits<float>::quiet_NaN();
    energy.given += found.energy;
    energy.sent += static_cast<double>(means[number]) * means[number] * static_cast<double>(values.size());
  }
  const std::span<std::uint8_t> packed = codes(sign_bytes(elements));
  pack_signs(vector, packed);
  return coded(elements, means, packed, energy);
}

void BlockSign::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    const float mean = message.values[static_cast<std::size_t>(at / scale_block)];
    out[i] = is_negative(message.codes, static_cast<std::size_t>(at)) ? -mean : mean;
  }
}

// Block maxima and rounding to nearest even.

namespace {

constexpr float levels_of_nibble = 7;

/// Rounds to the nearest whole number, halves to even, for |value| < 2^22: the sum has no bits left for a
/// fraction.
std::int32_t rounded_to_even(float value) {
  constexpr float magic = 0x1.8p23F;
  return static_cast<std::int32_t>((value + magic) - magic);
}

}  // namespace

Int4::Int4(std::int64_t block) : block_(std::min(block, most_elements)) { assert(block >= 1); }

Message Int4::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::span<std::uint8_t> nibbles = codes(nibble_bytes(elements));
  const std::span<float> largest = scales(blocks_of(elements, block_));
  std::ranges::fill(nibbles, std::uint8_t{0});
  Energy energy;
  for (std::size_t number = 0; number < largest.size(); ++number) {
    const std::span<const float> values = block_at(vector, block_, number);
    const Statistics found = measure(values);
    const bool finite = found.finite == static_cast<std::int64_t>(values.size());
    largest[number] = finite ? absolute(found.largest) : std::numeric_limits<float>::quiet_NaN();
    energy.given += found.energy;
    std::int64_t squares = 0;
    const std::size_t first = number * static_cast<std::size_t>(block_);
    for (std::size_t i = 0; largest[number] > 0 && i < values.size(); ++i) {
      const std::int32_t code = rounded_to_even(values[i] / largest[number] * levels_of_nibble);
      squares += std::int64_t{code} * code;
      nibbles[(first + i) / 2] |= static_cast<std::uint8_t>((code & 0xf) << (i % 2 * 4));
    }
    const double step = static_cast<double>(level_step(largest[number], levels_of_nibble));
    energy.sent += step * step * static_cast<double>(squares);
  }
  return coded(elements, largest, nibbles, energy);
}

void Int4::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    const auto number = static_cast<std::size_t>(at);
    const std::int32_t nibble = message.codes[number / 2] >> (number % 2 * 4) & 0xf;
    const std::int32_t code = nibble < 8 ? nibble : nibble - 16;
    out[i] = level_step(message.values[static_cast<std::size_t>(at / block_)], levels_of_nibble) *
             static_cast<float>(code);
  }
}

}  // namespace kernels
