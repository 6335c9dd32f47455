// TernGrad on the device: -1, 0 or 1 times the largest magnitude, rounded at random.
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/device_statistics.hpp"
#include "kernels/four_floats.cuh"
#include "kernels/philox.hpp"
#include "kernels/tern_grad.hpp"

namespace kernels {
namespace {

constexpr std::int64_t block_fours = 4 * std::int64_t{block_threads};  // fours of values that a block codes

struct TernGradDecoder {
  const std::uint8_t* codes;
  const float* scale;

  __device__ float operator()(std::int64_t i) const {
    const unsigned code = static_cast<unsigned>(codes[i / 4]) >> (i % 4 * 2) & 3U;
    const float top = *scale;
    return code == 1U ? top : code == 2U ? -top : 0 * top;  // 0 * NaN is NaN: a broken vector stays visible
  }
};

/// The memory of one vector's kernels.
struct TernGradWork {
  const float* vector;
  std::int64_t elements;
  RandomStream stream;
  const VectorParts* found;
  const double* deviation;  // null: not clipped
  double clip;
  float* scale;
  std::uint8_t* codes;
  Energy* parts;
};

__global__ void find_scale(TernGradWork work) {
  float top = absolute(work.found->largest);
  if (work.deviation != nullptr) top = fminf(top, static_cast<float>(work.clip * *work.deviation));
  const bool finite = work.found->finite == work.elements;
  *work.scale = finite ? top : std::numeric_limits<float>::quiet_NaN();
}

/// The byte of four values, of which `count` are there; how many are not zero is added.
__device__ unsigned code_four(const TernGradWork& work, std::int64_t four, float top, std::int64_t& nonzero) {
  const bool aligned = is_aligned(work.vector);
  const FourFloats values = load_four(work.vector, four * 4, work.elements, aligned);
  const std::array<std::uint32_t, 4> words = work.stream.block(static_cast<std::uint64_t>(four));
  unsigned byte = 0;
  for (unsigned i = 0; i < 4; ++i) {  // values past the end are zeros, which are never hit
    const float value = values.values[i];
    const bool hit = unit_interval(words[i]) < fabsf(value) / top;
    byte |= ((hit ? 1U : 0U) << (std::bit_cast<std::int32_t>(value) < 0 ? 1 : 0)) << (2 * i);
    nonzero += hit ? 1 : 0;
  }
  return byte;
}

__global__ void __launch_bounds__(256) code_ternary(TernGradWork work) {
  __shared__ WarpValues<std::int64_t> scratch;
  const std::int64_t first = std::int64_t{blockIdx.x} * block_fours;
  const float top = *work.scale;
  std::int64_t nonzero = 0;
  for (std::int64_t four = first + threadIdx.x; four < first + block_fours; four += block_threads) {
    if (four * 4 >= work.elements) break;
    const unsigned byte = top > 0 ? code_four(work, four, top, nonzero) : 0U;
    work.codes[four] = static_cast<std::uint8_t>(byte);
  }
  nonzero = block_sum(nonzero, scratch);
  if (threadIdx.x != 0) return;
  const double wide = top;
  work.parts[blockIdx.x].sent = wide * wide * static_cast<double>(nonzero);
  work.parts[blockIdx.x].given = blockIdx.x == 0 ? work.found->energy : 0;
}

/// The CUDA implementation of TernGrad, bit for bit without `clip`. With it the scale may differ in its last
/// place, since the deviation is a sum in another order, and a value then may be rounded the other way.
class DeviceTernGrad : public DeviceCoder {
 public:
  explicit DeviceTernGrad(const TernGrad::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  TernGrad::Settings settings_;
  DeviceStatistics statistics_;
};

DeviceTernGrad::DeviceTernGrad(const TernGrad::Settings& settings) : settings_(settings) {
  assert(!settings.clip || *settings.clip > 0);
}

DeviceMessage DeviceTernGrad::compress(std::span<const float> vector, StreamHandle stream) {
  const RandomStream random{settings_.seed, next_step()};
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t bytes = divided_up(elements, 4), blocks = divided_up(bytes, block_fours);
  const VectorParts* found = statistics_.measure(vector, stream);
  const double* deviation = settings_.clip ? statistics_.deviation(vector, stream) : nullptr;
  const TernGradWork work{vector.data(), elements,     random,
                          found,         deviation,    settings_.clip.value_or(0),
                          scales(1),     codes(bytes), parts(blocks)};
  launch("find_scale", find_scale, {1, 1}, stream, work);
  if (elements > 0) launch("code_ternary", code_ternary, {blocks, block_threads}, stream, work);
  return summed(elements, 1, bytes, blocks, stream);
}

void DeviceTernGrad::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                           StreamHandle stream) const {
  const TernGradDecoder decoder{message.codes.data(), message.values.data()};
  decode_each(decoder, vector, use == Use::add, stream);
}

}  // namespace

DeviceCompressorPtr TernGrad::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceTernGrad>(settings);
}

}  // namespace kernels
