// Half on the device: each value rounded to a 16-bit floating-point number.
#include <memory>
#include <span>

#include "kernels/block_sums.cuh"
#include "kernels/device_coder.cuh"
#include "kernels/device_compressor.hpp"
#include "kernels/half.hpp"

namespace kernels {
namespace {

constexpr std::int64_t half_tile = 4096;

/// The codes of a message as 16-bit numbers: both the wire and the devices have the low byte first.
struct HalfDecoder {
  const std::uint16_t* halves;
  bool binary16;

  __device__ float operator()(std::int64_t i) const {
    return binary16 ? from_binary16(halves[i]) : from_bfloat16(halves[i]);
  }
};

__global__ void __launch_bounds__(256)
    narrow(const float* vector, std::int64_t elements, bool binary16, std::uint16_t* halves, Energy* parts) {
  __shared__ WarpValues<double> scratch;
  const std::int64_t first = std::int64_t{blockIdx.x} * half_tile;
  double sent = 0, given = 0;
  for (std::int64_t i = first + threadIdx.x; i < first + half_tile && i < elements; i += block_threads) {
    const float value = vector[i];
    const std::uint16_t half = binary16 ? to_binary16(value) : to_bfloat16(value);
    halves[i] = half;
    const double restored = binary16 ? from_binary16(half) : from_bfloat16(half);
    sent += restored * restored;
    given += static_cast<double>(value) * static_cast<double>(value);
  }
  sent = block_sum(sent, scratch);
  given = block_sum(given, scratch);
  if (threadIdx.x != 0) return;
  parts[blockIdx.x].sent = sent;
  parts[blockIdx.x].given = given;
}

/// The CUDA implementation of Half, bit for bit: it rounds by the same integer arithmetic.
class DeviceHalf : public DeviceCoder {
 public:
  explicit DeviceHalf(Half::Format format) : format_(format) {}

  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) override;

 protected:
  void apply(const DeviceMessage& message, std::span<float> vector, Use use,
             StreamHandle stream) const override;

 private:
  Half::Format format_;
};

DeviceMessage DeviceHalf::compress(std::span<const float> vector, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(vector.size());
  auto* halves = reinterpret_cast<std::uint16_t*>(codes(2 * elements));
  const std::int64_t tiles = divided_up(elements, half_tile);
  Energy* energies = parts(tiles);
  if (elements > 0) {
    launch("narrow", narrow, {tiles, block_threads}, stream, vector.data(), elements,
           format_ == Half::Format::binary16, halves, energies);
  }
  return summed(elements, 0, 2 * elements, tiles, stream);
}

void DeviceHalf::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                       StreamHandle stream) const {
  const HalfDecoder decoder{reinterpret_cast<const std::uint16_t*>(message.codes.data()),
                            format_ == Half::Format::binary16};
  decode_each(decoder, vector, use == Use::add, stream);
}

}  // namespace

DeviceCompressorPtr Half::make_on_device(Format format) { return std::make_unique<DeviceHalf>(format); }

}  // namespace kernels
