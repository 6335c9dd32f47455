// QSGD: each value's share in the norm of its bucket, rounded at random to one of a few levels.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// One signed byte per value and one norm per bucket: with a = s |v| / ||bucket||_2,
///
///   level = floor(a) + 1 with probability a - floor(a), else floor(a);   restored = sign(v) (norm / s)
///   level.
///
/// The restored value's expectation is v (to 2^-24 of a level). Value i takes its random number from word i
/// of the stream (seed, step). A bucket of zeros restores to zeros. A bucket with NaN or infinity, or whose
/// norm exceeds the largest float, restores to NaN.
///
/// Leaves out: Elias coding, which shortens the bytes.
/// Source: Alistarh et al., "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding",
///         NeurIPS 2017, section 3.1; buckets as in section 4.
class Qsgd : public Coder {
 public:
  struct Settings {
    int levels = 127;           ///< s, in [1, 127]
    std::int64_t bucket = 128;  ///< values that share a norm, at least 1
    std::uint64_t seed = 0;     ///< seed of the rounding; each rank its own
  };

  explicit Qsgd(const Settings& settings);

  /// CUDA implementation, of device_qsgd.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  Settings settings_;
  Workspace<float> uniform_;
};

}  // namespace kernels
