// Selecting in each block, splitting at the mean magnitude, and packed codes.
#include "kernels/block_top_k.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace kernels {
namespace {

double size_of(float value) { return static_cast<double>(absolute(magnitude(value))); }

/// Sets bits that are 0.
void put_bits(std::uint64_t bits, int count, std::int64_t first, std::span<std::uint8_t> bytes) {
  for (int put = 0; put < count;) {
    const std::int64_t at = first + put;
    const int within = static_cast<int>(at % 8);
    bytes[static_cast<std::size_t>(at / 8)] |= static_cast<std::uint8_t>(bits >> put << within);
    put += 8 - within;
  }
}

/// Codes the values at these indices of a block.
/// @param codes   of the block, zeros before
/// @param levels  the smaller and the larger magnitude
/// @returns the energy of what they restore to
double code_sent(std::span<const float> values, std::span<const Index> sent, int index_bits,
                 std::span<std::uint8_t> codes, std::span<float> levels) {
  double sum = 0;
  for (const Index index : sent) sum += size_of(values[index]);
  const double mean = sum / static_cast<double>(sent.size());
  std::array<double, 2> sums{};
  std::array<double, 2> counts{};
  std::int64_t at = 0;
  for (const Index index : sent) {
    const double size = size_of(values[index]);
    const bool large = size >= mean;
    sums[large ? 1 : 0] += size;
    counts[large ? 1 : 0] += 1;
    put_bits(pack_code({index, large, values[index] < 0}, index_bits), index_bits + 2, at, codes);
    at += index_bits + 2;
  }
  double energy = 0;
  for (std::size_t level = 0; level < 2; ++level) {
    levels[level] = counts[level] == 0 ? 0.0F : static_cast<float>(sums[level] / counts[level]);
    if (!std::isfinite(sum)) levels[level] = std::numeric_limits<float>::quiet_NaN();
    energy += counts[level] * static_cast<double>(levels[level]) * static_cast<double>(levels[level]);
  }
  return energy;
}

}  // namespace

BlockTopK::BlockTopK(const Settings& settings) : settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.block >= 1);
  settings_.block = std::min(settings.block, most_elements);  // so that no sum of indices overflows
}

Message BlockTopK::compress(std::span<const float> vector) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const BlockLayout layout = block_layout(settings_.ratio, elements, settings_.block);
  const std::span<std::uint8_t> all = codes(layout.code_bytes());
  const std::span<float> levels = scales(2 * layout.blocks());
  std::ranges::fill(all, std::uint8_t{0});
  Energy energy;
  for (std::int64_t number = 0; number < layout.blocks(); ++number) {
    const std::span<const float> values = vector.subspan(static_cast<std::size_t>(number * layout.block),
                                                         static_cast<std::size_t>(layout.values_of(number)));
    const std::int64_t sent = layout.sent_of(number);
    energy.given += largest_.select(values, sent);
    const auto first = static_cast<std::size_t>(layout.first_byte(number));
    energy.sent += code_sent(values, largest_.indices(), layout.index_bits,
                             all.subspan(first, static_cast<std::size_t>(layout.bytes_for(sent))),
                             levels.subspan(static_cast<std::size_t>(2 * number), 2));
  }
  return coded(elements, levels, all, energy);
}

void BlockTopK::decode(const Message& message, std::int64_t first, std::span<float> out) const {
  std::ranges::fill(out, 0.0F);
  const BlockLayout layout = block_layout(settings_.ratio, message.elements, settings_.block);
  const std::int64_t end = first + static_cast<std::int64_t>(out.size());
  for (std::int64_t number = first / layout.block; number * layout.block < end; ++number) {
    const std::uint8_t* codes = &message.codes[static_cast<std::size_t>(layout.first_byte(number))];
    for (std::int64_t i = 0; i < layout.sent_of(number); ++i) {
      const BlockCode code =
          unpack_code(bits_at(codes, i * layout.code_bits(), layout.code_bits()), layout.index_bits);
      const std::int64_t at = number * layout.block + code.index;
      if (at < first || at >= end) continue;
      const float level = message.values[static_cast<std::size_t>(2 * number + (code.large ? 1 : 0))];
      out[static_cast<std::size_t>(at - first)] = code.negative ? -level : level;
    }
  }
}

}  // namespace kernels
