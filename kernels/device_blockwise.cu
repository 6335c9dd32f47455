// Signs and signed 4-bit numbers with a scale for each block of 256 values, on the device.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/blockwise.hpp"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/level_step.hpp"
#include "kernels/signs.hpp"

namespace kernels {
namespace {

constexpr float nibble_levels = 7;

struct BlockSignDecoder {
  const std::uint8_t* codes;
  const float* means;

  __device__ float operator()(std::int64_t i) const {
    const float mean = means[i / scale_block];
    return (codes[i / 8] >> (i % 8) & 1) != 0 ? -mean : mean;
  }
};

struct NibbleDecoder {
  const std::uint8_t* codes;
  const float* largest;

  __device__ float operator()(std::int64_t i) const {
    const int nibble = codes[i / 2] >> (i % 2 * 4) & 0xf;
    const int code = nibble < 8 ? nibble : nibble - 16;
    return level_step(largest[i / scale_block], nibble_levels) * static_cast<float>(code);
  }
};

/// Sums that one warp finds of its block, in every lane.
struct BlockFacts {
  double magnitudes;  // sum
  double energy;
  Magnitude largest;  // NaN's where a value is not finite
};

/// @param use  called as use(turn, at, value) by all lanes together; value is 0 beyond the block
template <class Use>
__device__ void each_value(const float* vector, std::int64_t elements, std::int64_t first, Use use) {
  for (int turn = 0; turn < static_cast<int>(scale_block / lanes_of_warp); ++turn) {
    const std::int64_t at = first + std::int64_t{turn} * lanes_of_warp + lane_number();
    use(turn, at, at < elements ? vector[at] : 0.0F);
  }
}

__device__ BlockFacts facts_of_block(const float* vector, std::int64_t elements, std::int64_t first) {
  BlockFacts found{0, 0, 0};
  each_value(vector, elements, first, [&](int, std::int64_t, float value) {
    const Magnitude size = is_finite(value) ? magnitude(value) : Magnitude{nan_magnitude};
    found.largest = size > found.largest ? size : found.largest;
    found.magnitudes += static_cast<double>(absolute(magnitude(value)));
    found.energy += static_cast<double>(value) * static_cast<double>(value);
  });
  for (int distance = 16; distance > 0; distance /= 2) {
    const Magnitude other = __shfl_xor_sync(all_lanes, found.largest, distance);
    found.largest = other > found.largest ? other : found.largest;
  }
  found.magnitudes = warp_sum(found.magnitudes);
  found.energy = warp_sum(found.energy);
  return found;
}

__device__ std::int64_t values_from(std::int64_t first, std::int64_t elements) {
  return elements - first < scale_block ? elements - first : scale_block;
}

__global__ void __launch_bounds__(256) code_block_signs(const float* vector, std::int64_t elements,
                                                        std::uint32_t* words, float* means, Energy* parts) {
  const std::int64_t number = warp_number();
  const std::int64_t first = number * scale_block;
  if (first >= elements) return;
  const BlockFacts found = facts_of_block(vector, elements, first);
  each_value(vector, elements, first, [&](int turn, std::int64_t, float value) {
    const std::uint32_t negative = __ballot_sync(all_lanes, value < 0);
    const std::int64_t start = first + std::int64_t{turn} * lanes_of_warp;
    if (lane_number() == 0 && start < elements) words[start / lanes_of_warp] = negative;
  });
  if (lane_number() != 0) return;
  const auto size = static_cast<double>(values_from(first, elements));
  const float mean = found.largest == nan_magnitude ? std::numeric_limits<float>::quiet_NaN()
                                                    : static_cast<float>(found.magnitudes / size);
  means[number] = mean;
  parts[number].given = found.energy;
  parts[number].sent = static_cast<double>(mean) * static_cast<double>(mean) * size;
}

__global__ void __launch_bounds__(256) code_nibbles(const float* vector, std::int64_t elements,
                                                    std::uint8_t* codes, float* scales, Energy* parts) {
  const std::int64_t number = warp_number();
  const std::int64_t first = number * scale_block;
  if (first >= elements) return;
  const BlockFacts found = facts_of_block(vector, elements, first);
  const float largest =
      found.largest == nan_magnitude ? std::numeric_limits<float>::quiet_NaN() : absolute(found.largest);
  std::int64_t squares = 0;
  each_value(vector, elements, first, [&](int, std::int64_t at, float value) {
    const int code = largest > 0 ? static_cast<int>(rintf(value / largest * nibble_levels)) : 0;
    squares += std::int64_t{code} * code;
    const int above = __shfl_down_sync(all_lanes, code, 1);  // code of the next value, 0 beyond the vector
    if (at % 2 == 0 && at < elements)
      codes[at / 2] = static_cast<std::uint8_t>((code & 0xf) | (above & 0xf) << 4);
  });
  squares = warp_sum(squares);
  if (lane_number() != 0) return;
  const double step = static_cast<double>(level_step(largest, nibble_levels));
  scales[number] = largest;
  parts[number].given = found.energy;
  parts[number].sent = step * step * static_cast<double>(squares);
}

/// The CUDA implementation of BlockSign: equal signs; a mean magnitude is a sum in another order, so a scale
/// may differ in its last place. A warp codes a block.
class DeviceBlockSign : public DeviceCoder {
 public:
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    const auto elements = static_cast<std::int64_t>(vector.size());
    const std::int64_t blocks = divided_up(elements, scale_block);
    auto* words = reinterpret_cast<std::uint32_t*>(codes(sign_bytes(elements)));
    float* means = scales(blocks);
    Energy* energies = parts(blocks);
    if (elements > 0)
      launch("code_block_signs", code_block_signs, warp_each(blocks), stream, vector.data(), elements, words,
             means, energies);
    return summed(elements, blocks, sign_bytes(elements), blocks, stream);
  }

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override {
    decode_each(BlockSignDecoder{message.codes.data(), message.values.data()}, vector, use == Use::add,
                stream);
  }
};

/// The CUDA implementation of Int4, bit for bit. A warp codes a block.
class DeviceInt4 : public DeviceCoder {
 public:
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override {
    const auto elements = static_cast<std::int64_t>(vector.size());
    const std::int64_t blocks = divided_up(elements, scale_block);
    std::uint8_t* nibbles = codes(nibble_bytes(elements));
    float* largest = scales(blocks);
    Energy* energies = parts(blocks);
    if (elements > 0)
      launch("code_nibbles", code_nibbles, warp_each(blocks), stream, vector.data(), elements, nibbles,
             largest, energies);
    return summed(elements, blocks, nibble_bytes(elements), blocks, stream);
  }

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override {
    decode_each(NibbleDecoder{message.codes.data(), message.values.data()}, vector, use == Use::add, stream);
  }
};

}  // namespace

DeviceCompressorPtr BlockSign::make_on_device() { return std::make_unique<DeviceBlockSign>(); }
DeviceCompressorPtr Int4::make_on_device() { return std::make_unique<DeviceInt4>(); }

}  // namespace kernels
