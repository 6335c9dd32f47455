// Half: each value rounded to a 16-bit floating-point number.
#pragma once

#include <span>

#include "kernels/coder.hpp"

namespace kernels {

/// Two bytes per value, low byte first, rounded to nearest even; see half_float.hpp for the edges. What
/// overflows becomes infinity and is not kept as a residual.
///
/// Source: IEEE 754 binary16 and bfloat16, as in PyTorch's fp16_compress_hook and bf16_compress_hook.
class Half : public Coder {
 public:
  enum class Format { binary16, bfloat16 };

  explicit Half(Format format) : format_(format) {}

  /// Its CUDA implementation, of device_half.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(Format format);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  Format format_;
};

}  // namespace kernels
