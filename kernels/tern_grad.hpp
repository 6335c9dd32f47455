// TernGrad: -1, 0 or 1 times the largest magnitude, rounded at random.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// Two bits per value (four to a byte, the first in the lowest bits: 0, 1 for +, 2 for -) and one scale:
///
///   s = max|v|;   b = 1 with probability |v| / s, else 0;   restored = s sign(v) b.
///
/// The restored value's expectation is v (to 2^-24 s) unless `clip` is set. Value i takes its random number
/// from word i of the stream (seed, step). A vector with NaN or infinity restores to NaN.
///
/// Leaves out: one scale per layer (compress the layers one by one) and sharing the scale among ranks.
/// Source: Wen et al., "TernGrad: Ternary Gradients to Reduce Communication in Distributed Deep Learning",
///         NeurIPS 2017, equations 1 to 3; clipping in section 3.3.
class TernGrad : public Coder {
 public:
  struct Settings {
    std::optional<double> clip = {};  ///< values are first clipped to +-clip sigma, > 0; the paper's is 2.5
    std::uint64_t seed = 0;           ///< seed of the rounding; each rank its own
  };

  explicit TernGrad(const Settings& settings);

  /// CUDA implementation, of device_tern_grad.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;

 protected:
  void decode(const Message& message, std::int64_t first, std::span<float> out) const override;

 private:
  [[nodiscard]] float scale(std::span<const float> vector, float largest) const;

  Settings settings_;
};

}  // namespace kernels
