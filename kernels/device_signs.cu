// The sign methods on the device: packed signs and the scales that go with them.
#include <cassert>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "kernels/device_coder.cuh"
#include "kernels/device_statistics.hpp"
#include "kernels/signs.hpp"

namespace kernels {
namespace {

/// The values that nonnegative and negative values restore to.
struct SignDecoder {
  const std::uint8_t* codes;
  const float* scales;  // null: 1
  int negative;         // index of the scale of negative values
  float factor;         // factor on that scale

  __device__ float operator()(std::int64_t i) const {
    const bool below_zero = (codes[i / 8] >> (i % 8) & 1) != 0;
    if (scales == nullptr) return below_zero ? factor : 1.0F;
    return below_zero ? factor * scales[negative] : scales[0];
  }
};

__device__ float mean_of(double sum, std::int64_t count) {
  return count == 0 ? 0.0F : static_cast<float>(sum / static_cast<double>(count));
}

__device__ double energy_of(float value, std::int64_t count) {
  return static_cast<double>(value) * static_cast<double>(value) * static_cast<double>(count);
}

/// One thread each: the scales, the energies and the sizes.
__global__ void finish_sign_sgd(const VectorParts* found, std::int64_t elements, std::int64_t bytes,
                                DeviceTotals* totals) {
  totals->energy.given = found->energy;
  totals->energy.sent = static_cast<double>(elements);
  totals->count = 0;
  totals->wire_bytes = bytes;
}

__global__ void finish_ef_sign(const VectorParts* found, std::int64_t elements, std::int64_t bytes,
                               float* scale, DeviceTotals* totals) {
  const float mean = mean_of(found->other_sum - found->negative_sum, found->finite);
  *scale = found->finite == elements ? mean : std::numeric_limits<float>::quiet_NaN();
  totals->energy.given = found->energy;
  totals->energy.sent = energy_of(*scale, elements);
  totals->count = 1;
  totals->wire_bytes = bytes;
}

__global__ void finish_one_bit(const VectorParts* found, std::int64_t elements, std::int64_t bytes,
                               float* means, DeviceTotals* totals) {
  const bool finite = found->finite == elements;
  const std::int64_t others = elements - found->negatives;
  means[0] = finite ? mean_of(found->other_sum, others) : std::numeric_limits<float>::quiet_NaN();
  means[1] =
      finite ? mean_of(found->negative_sum, found->negatives) : std::numeric_limits<float>::quiet_NaN();
  totals->energy.given = found->energy;
  totals->energy.sent = energy_of(means[0], others) + energy_of(means[1], found->negatives);
  totals->count = 2;
  totals->wire_bytes = bytes;
}

/// Shared part of the three: one pass packs the signs and measures, one thread then writes the scales.
class DeviceSignCoder : public DeviceCoder {
 public:
  DeviceMessage compress(std::span<const float> vector, StreamHandle stream) final;
  DeviceMessage compress_fed(std::span<const float> gradient, std::span<float> residual,
                             StreamHandle stream) final;

 protected:
  enum class Method { sign_sgd, ef_sign, one_bit };

  explicit DeviceSignCoder(Method method) : method_(method) {}

  void apply(const DeviceMessage& message, std::span<float> vector, Use use, StreamHandle stream) const final;

 private:
  std::uint32_t* packed(std::size_t size);
  DeviceMessage finish(std::size_t size, const VectorParts* found, StreamHandle stream);

  Method method_;
  DeviceStatistics statistics_;
};

DeviceMessage DeviceSignCoder::compress(std::span<const float> vector, StreamHandle stream) {
  return finish(vector.size(), statistics_.measure(vector, packed(vector.size()), stream), stream);
}

DeviceMessage DeviceSignCoder::compress_fed(std::span<const float> gradient, std::span<float> residual,
                                            StreamHandle stream) {
  assert(gradient.size() == residual.size());
  std::uint32_t* signs = packed(gradient.size());
  const VectorParts* found = statistics_.measure_fed(gradient, residual, signs, stream);
  const DeviceMessage message = finish(gradient.size(), found, stream);
  subtract(message, residual, stream);
  return message;
}

std::uint32_t* DeviceSignCoder::packed(std::size_t size) {
  return reinterpret_cast<std::uint32_t*>(codes(sign_bytes(static_cast<std::int64_t>(size))));
}

/// The message whose signs are packed.
DeviceMessage DeviceSignCoder::finish(std::size_t size, const VectorParts* found, StreamHandle stream) {
  const auto elements = static_cast<std::int64_t>(size);
  const std::int64_t scale_count = method_ == Method::sign_sgd ? 0 : method_ == Method::ef_sign ? 1 : 2;
  const std::int64_t bytes = wire_bytes(scale_count, sign_bytes(elements));
  float* scale = scales(scale_count);
  switch (method_) {
    case Method::sign_sgd:
      launch("finish_sign_sgd", finish_sign_sgd, {1, 1}, stream, found, elements, bytes, totals());
      break;
    case Method::ef_sign:
      launch("finish_ef_sign", finish_ef_sign, {1, 1}, stream, found, elements, bytes, scale, totals());
      break;
    case Method::one_bit:
      launch("finish_one_bit", finish_one_bit, {1, 1}, stream, found, elements, bytes, scale, totals());
      break;
  }
  return coded(elements, scale_count, sign_bytes(elements));
}

void DeviceSignCoder::apply(const DeviceMessage& message, std::span<float> vector, Use use,
                            StreamHandle stream) const {
  const bool one_bit = method_ == Method::one_bit;
  const float* scale = method_ == Method::sign_sgd ? nullptr : message.values.data();
  const SignDecoder decoder{message.codes.data(), scale, one_bit ? 1 : 0, one_bit ? 1.0F : -1.0F};
  decode_each(decoder, vector, use == Use::add, stream);
}

/// The CUDA implementation of SignSgd, bit for bit.
class DeviceSignSgd : public DeviceSignCoder {
 public:
  DeviceSignSgd() : DeviceSignCoder(Method::sign_sgd) {}
};

/// The CUDA implementation of EfSign: equal signs; the mean magnitude is a sum in another order, so the scale
/// may differ in its last place.
class DeviceEfSign : public DeviceSignCoder {
 public:
  DeviceEfSign() : DeviceSignCoder(Method::ef_sign) {}
};

/// The CUDA implementation of OneBit: equal signs; the two means are sums in another order. Where values
/// cancel nothing (each group has one sign) they differ by their last place at most.
class DeviceOneBit : public DeviceSignCoder {
 public:
  DeviceOneBit() : DeviceSignCoder(Method::one_bit) {}
};

}  // namespace

DeviceCompressorPtr SignSgd::make_on_device() { return std::make_unique<DeviceSignSgd>(); }
DeviceCompressorPtr EfSign::make_on_device() { return std::make_unique<DeviceEfSign>(); }
DeviceCompressorPtr OneBit::make_on_device() { return std::make_unique<DeviceOneBit>(); }

}  // namespace kernels
