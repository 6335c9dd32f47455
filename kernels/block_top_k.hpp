// The largest values of each block, with a sign and one of two magnitudes: the messages of SparseLoCo.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/largest.hpp"
#include "kernels/magnitude.hpp"

namespace kernels {

/// Values of a block of `block_topk`: an index within it takes 12 bits.
inline constexpr std::int64_t top_k_block = 4096;

/// Layout of the codes of n values. Of each block of B values (the last one may be shorter) kept(c, its size)
/// are sent, so at least one. A code has ceil(log2 B) bits of index, then one that is set for the larger of
/// the block's two magnitudes, then one that is set for a negative value. Codes of a block follow each other
/// by ascending index, from the lowest bit of its first byte on; each block begins at a whole byte, and the
/// unused bits of its last byte are 0.
struct BlockLayout {
  std::int64_t elements = 0;    ///< n
  std::int64_t block = 1;       ///< B
  int index_bits = 0;           ///< ceil(log2 B)
  std::int64_t whole_sent = 0;  ///< values sent of a block that is not the last
  std::int64_t last_sent = 0;   ///< values sent of the last one

  [[nodiscard]] constexpr std::int64_t blocks() const { return (elements + block - 1) / block; }
  /// Values of block `number`, from 0.
  [[nodiscard]] constexpr std::int64_t values_of(std::int64_t number) const {
    const std::int64_t left = elements - number * block;
    return left < block ? left : block;
  }
  /// Values sent of it.
  [[nodiscard]] constexpr std::int64_t sent_of(std::int64_t number) const {
    return number + 1 < blocks() ? whole_sent : last_sent;
  }
  [[nodiscard]] constexpr int code_bits() const { return index_bits + 2; }
  [[nodiscard]] constexpr std::int64_t bytes_for(std::int64_t sent) const {
    return (sent * code_bits() + 7) / 8;
  }
  /// The first byte of block `number`.
  [[nodiscard]] constexpr std::int64_t first_byte(std::int64_t number) const {
    return number * bytes_for(whole_sent);
  }
  /// Bytes of all codes.
  [[nodiscard]] constexpr std::int64_t code_bytes() const {
    return elements == 0 ? 0 : first_byte(blocks() - 1) + bytes_for(last_sent);
  }
  /// Bytes of the message: the codes, and two fp32 magnitudes for each block.
  [[nodiscard]] constexpr std::int64_t wire_bytes() const { return code_bytes() + 8 * blocks(); }
};

/// @param ratio     c, kept / original, in (0, 1]
/// @param elements  n, at least 0
/// @param block     B, in [1, 2^32]
inline BlockLayout block_layout(double ratio, std::int64_t elements, std::int64_t block = top_k_block) {
  const auto index_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(block - 1)));
  BlockLayout layout{elements, block, index_bits, kept(ratio, block), 0};
  if (elements > 0) layout.last_sent = kept(ratio, layout.values_of(layout.blocks() - 1));
  return layout;
}

/// Bits [first, first + count) of a string of bytes whose lowest bits come first.
/// @param count  at most 64
constexpr std::uint64_t bits_at(const std::uint8_t* bytes, std::int64_t first, int count) {
  std::uint64_t bits = 0;
  for (int taken = 0; taken < count;) {
    const std::int64_t at = first + taken;
    const int within = static_cast<int>(at % 8);
    const int here = count - taken < 8 - within ? count - taken : 8 - within;
    const unsigned piece = static_cast<unsigned>(bytes[at / 8]) >> within & ((1U << here) - 1);
    bits |= static_cast<std::uint64_t>(piece) << taken;
    taken += here;
  }
  return bits;
}

/// One sent value, as its code states it.
struct BlockCode {
  std::int64_t index = 0;  ///< index within the block
  bool large = false;      ///< restored to the block's second magnitude, else to its first
  bool negative = false;
};

constexpr std::uint64_t pack_code(const BlockCode& code, int index_bits) {
  return static_cast<std::uint64_t>(code.index) | std::uint64_t{code.large ? 1U : 0U} << index_bits |
         std::uint64_t{code.negative ? 1U : 0U} << (index_bits + 1);
}

constexpr BlockCode unpack_code(std::uint64_t bits, int index_bits) {
  return {static_cast<std::int64_t>(bits & ((std::uint64_t{1} << index_bits) - 1)),
          (bits >> index_bits & 1) != 0, (bits >> (index_bits + 1) & 1) != 0};
}

/// Sends, of each block of B values, the k = kept(c, B) of largest magnitude (among equals the lowest
/// indices), each as an index within the block and two bits: its sign, and whether its magnitude is at least
/// the mean magnitude of those sent of the block. Both magnitudes of a block, the mean of those below and the
/// mean of those that are not, are sent in fp32; a mean of none is 0. A block with NaN or infinity restores
/// to NaN where it is sent. Biased: meant for error feedback.
///
/// At 64 of 4096 a block takes 64 x 14 bits and 8 bytes, 120 in place of 16384. The paper counts the 112 of
/// the codes: its two bits name one of four values, which are found for a whole tensor by the spread of
/// the values sent and cost next to nothing; here two magnitudes are found for each block, with both signs.
///
/// Leaves out: blocks that end where a tensor ends, or that are tiles of a matrix; an index coded by its
/// entropy.
/// Source: Sarfi, Therien, Lidin & Belilovsky, "Communication Efficient LLM Pre-training with SparseLoCo",
///         arXiv:2508.15706, 2025 (blocks of 4096 values, 2 bits a value).
class BlockTopK : public Coder {
 public:
  struct Settings {
    double ratio = 0.01;               ///< c, kept / original, in (0, 1]; 64/4096 in the source
    std::int64_t block = top_k_block;  ///< B, values of a block, at least 1
  };

  explicit BlockTopK(const Settings& settings);

  /// CUDA implementation, of device_block_top_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  Settings settings_;
  Largest largest_;
};

}  // namespace kernels
