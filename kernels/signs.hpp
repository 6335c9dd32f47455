// Signs packed eight to a byte.
#pragma once

#include <cstdint>
#include <span>

namespace kernels {

/// Bytes that the signs of n values take.
constexpr std::int64_t sign_bytes(std::int64_t elements) { return (elements + 7) / 8; }

/// Bit i mod 8 of byte i / 8 is set where value i is negative. Zero counts as positive whatever its sign bit,
/// and so does NaN; the unused bits of the last byte are 0.
/// @param packed  sign_bytes(values.size()) bytes
inline void pack_signs(std::span<const float> values, std::span<std::uint8_t> packed) {
  for (std::size_t byte = 0; byte < packed.size(); ++byte) {
    unsigned bits = 0;
    const std::size_t first = byte * 8;
    const std::size_t count = values.size() - first < 8 ? values.size() - first : 8;
    for (std::size_t i = 0; i < count; ++i) bits |= (values[first + i] < 0 ? 1U : 0U) << i;
    packed[byte] = static_cast<std::uint8_t>(bits);
  }
}

/// Whether value i was negative.
constexpr bool is_negative(std::span<const std::uint8_t> packed, std::size_t i) {
  return (packed[i / 8] >> (i % 8) & 1) != 0;
}

}  // namespace kernels
