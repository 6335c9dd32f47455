// Int8 on the device: each value as a signed byte of the largest magnitude in its block.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/bucket_quads.cuh"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/int8.hpp"
#include "kernels/level_step.hpp"

namespace kernels {
namespace {

constexpr float levels = 127;

struct Int8Decoder {
  const std::uint8_t* codes;
  const float* scales;
  std::int64_t block;

  __device__ float operator()(std::int64_t i) const {
    return level_step(scales[i / block], levels) * static_cast<float>(static_cast<std::int8_t>(codes[i]));
  }
};

struct Measured {
  Magnitude largest;  // NaN's where a value is not finite
  double energy;
};

/// Measures a bucket; the result is in every lane.
__device__ Measured measured(const float* vector, std::int64_t elements, const Bucket& bucket) {
  Measured found{0, 0};
  each_four(vector, elements, bucket, [&](std::int64_t, const FourFloats& four, unsigned inside) {
    for (int i = 0; i < 4; ++i) {
      if ((inside >> i & 1U) == 0) continue;
      const float value = four.values[i];
      const Magnitude size = is_finite(value) ? magnitude(value) : Magnitude{nan_magnitude};
      found.largest = size > found.largest ? size : found.largest;
      found.energy += static_cast<double>(value) * static_cast<double>(value);
    }
  });
  for (int distance = 16; distance > 0; distance /= 2) {
    const Magnitude other = __shfl_xor_sync(all_lanes, found.largest, distance);
    found.largest = other > found.largest ? other : found.largest;
  }
  found.energy = warp_sum(found.energy);
  return found;
}

__global__ void __launch_bounds__(256)
    code_blocks(const float* vector, std::int64_t elements, std::int64_t block, std::uint8_t* codes,
                float* scales, Energy* parts) {
  const std::int64_t number = warp_number();
  if (number * block >= elements) return;
  const Bucket bucket = bucket_of(number, block, elements);
  const Measured found = measured(vector, elements, bucket);
  const float largest =
      found.largest == nan_magnitude ? std::numeric_limits<float>::quiet_NaN() : absolute(found.largest);
  std::int64_t squares = 0;
  each_four(vector, elements, bucket, [&](std::int64_t at, const FourFloats& four, unsigned inside) {
    int coded[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
      if (!(largest > 0) || (inside >> i & 1U) == 0) continue;
      coded[i] = static_cast<int>(rintf(four.values[i] / largest * levels));
      squares += std::int64_t{coded[i]} * coded[i];
    }
    store_codes(codes, at, inside, coded);
  });
  squares = warp_sum(squares);
  if (lane_number() != 0) return;
  const double step = static_cast<double>(level_step(largest, levels));
  scales[number] = largest;
  parts[number].given = found.energy;
  parts[number].sent = step * step * static_cast<double>(squares);
}

/// The CUDA implementation of Int8, bit for bit. A warp codes a block of values.
class DeviceInt8 : public DeviceCoder {
 public:
  explicit DeviceInt8(const Int8::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Int8::Settings settings_;
};

DeviceInt8::DeviceInt8(const Int8::Settings& settings) : settings_(settings) {
  assert(settings.block >= 1);
  settings_.block = std::min(settings.block, most_elements);  // so that no sum of indices overflows
}

DeviceMessage DeviceInt8::compress(std::span<const float> vector, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t blocks = divided_up(elements, settings_.block);
  std::uint8_t* bytes = codes(elements);
  float* largest = scales(blocks);
  Energy* energies = parts(blocks);
  if (elements > 0) {
    launch("code_blocks", code_blocks, warp_each(blocks), stream, vector.data(), elements, settings_.block,
           bytes, largest, energies);
  }
  return summed(elements, blocks, elements, blocks, stream);
}

void DeviceInt8::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                       StreamHandle stream) const {
  const Int8Decoder decoder{message.codes.data(), message.values.data(), settings_.block};
  decode_each(decoder, vector, use == Use::add, stream);
}

}  // namespace

DeviceCompressorPtr Int8::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceInt8>(settings);
}

}  // namespace kernels
