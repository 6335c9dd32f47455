// QSGD on the device: each value's share in the norm of its bucket, rounded at random to a level.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/bucket_quads.cuh"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/level_step.hpp"
#include "kernels/philox.hpp"
#include "kernels/qsgd.hpp"

namespace kernels {
namespace {

struct QsgdDecoder {
  const std::uint8_t* codes;
  const float* norms;
  std::int64_t bucket;
  float levels;

  __device__ float operator()(std::int64_t i) const {
    return level_step(norms[i / bucket], levels) * static_cast<float>(static_cast<std::int8_t>(codes[i]));
  }
};

/// The bucket's energy in every lane, in the order of `energy` in statistics.hpp: sixteen sums, value i of
/// the bucket in sum i mod 16, then pairwise. Both halves of the warp do the same.
__device__ double ordered_energy(const float* vector, const Bucket& bucket) {
  constexpr unsigned sums = 16;
  double squares = 0;
  for (std::int64_t i = bucket.first + lane_number() % sums; i < bucket.end; i += sums) {
    squares += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
  }
  for (const int distance : {8, 4, 2, 1}) squares += __shfl_xor_sync(all_lanes, squares, distance);
  return squares;
}

/// The signed level of one value.
__device__ int level_of(float value, float norm, float levels, std::uint32_t word) {
  const float share = fminf(fabsf(value) / norm * levels, levels);  // the norm may be rounded down
  const int whole = static_cast<int>(share);
  const int level = whole + (unit_interval(word) < share - static_cast<float>(whole) ? 1 : 0);
  return std::bit_cast<std::int32_t>(value) < 0 ? -level : level;
}

struct QsgdWork {
  const float* vector;
  std::int64_t elements;
  std::int64_t bucket;
  float levels;
  RandomStream stream;
  std::uint8_t* codes;
  float* norms;
  Energy* parts;
};

__global__ void __launch_bounds__(256) code_buckets(QsgdWork work) {
  const std::int64_t number = warp_number();
  if (number * work.bucket >= work.elements) return;
  const Bucket bucket = bucket_of(number, work.bucket, work.elements);
  const double given = ordered_energy(work.vector, bucket);
  float norm = static_cast<float>(sqrt(given));
  if (!is_finite(norm)) norm = std::numeric_limits<float>::quiet_NaN();
  std::int64_t squares = 0;
  each_four(
      work.vector, work.elements, bucket, [&](std::int64_t at, const FourFloats& four, unsigned inside) {
        int levels[4] = {0, 0, 0, 0};
        const std::array<std::uint32_t, 4> words = work.stream.block(static_cast<std::uint64_t>(at / 4));
        for (unsigned i = 0; i < 4; ++i) {
          if (!(norm > 0) || (inside >> i & 1U) == 0) continue;
          levels[i] = level_of(four.values[i], norm, work.levels, words[i]);
          squares += std::int64_t{levels[i]} * levels[i];
        }
        store_codes(work.codes, at, inside, levels);
      });
  squares = warp_sum(squares);
  if (lane_number() != 0) return;
  const double step = static_cast<double>(level_step(norm, work.levels));
  work.norms[number] = norm;
  work.parts[number].given = given;
  work.parts[number].sent = step * step * static_cast<double>(squares);
}

/// The CUDA implementation of Qsgd, bit for bit: the same Philox words, and norms added in the CPU
/// reference's order. A warp codes a bucket.
class DeviceQsgd : public DeviceCoder {
 public:
  explicit DeviceQsgd(const Qsgd::Settings& settings);

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Qsgd::Settings settings_;
};

DeviceQsgd::DeviceQsgd(const Qsgd::Settings& settings) : settings_(settings) {
  assert(settings.levels >= 1 && settings.levels <= 127 && settings.bucket >= 1);
  settings_.bucket = std::min(settings.bucket, most_elements);  // so that no sum of indices overflows
}

DeviceMessage DeviceQsgd::compress(std::span<const float> vector, StreamHandle stream) {
  const RandomStream random{settings_.seed, next_step()};
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t buckets = divided_up(elements, settings_.bucket);
  const QsgdWork work{vector.data(), elements,        settings_.bucket, static_cast<float>(settings_.levels),
                      random,        codes(elements), scales(buckets),  parts(buckets)};
  if (elements > 0) launch("code_buckets", code_buckets, warp_each(buckets), stream, work);
  return summed(elements, buckets, elements, buckets, stream);
}

void DeviceQsgd::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                       StreamHandle stream) const {
  const QsgdDecoder decoder{message.codes.data(), message.values.data(), settings_.bucket,
                            static_cast<float>(settings_.levels)};
  decode_each(decoder, vector, use == Use::add, stream);
}

}  // namespace

DeviceCompressorPtr Qsgd::make_on_device(const Settings& settings) {
  return std::make_unique<DeviceQsgd>(settings);
}

}  // namespace kernels
