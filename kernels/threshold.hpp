// Threshold: every value at or above a magnitude that is known beforehand.
#pragma once

#include <span>

#include "kernels/compressor.hpp"

namespace kernels {

/// Sends all with |v| >= threshold: anything from none to n values. The fastest selection, since nothing is
/// searched: one pass, error feedback included.
///
/// Source: Aji & Heafield, "Sparse Communication for Distributed Gradient Descent", EMNLP 2017.
class Threshold : public Sparsifier {
 public:
  struct Settings {
    double threshold = 0;  ///< threshold in the gradient's unit, finite, at least 0
    int index_bytes = 4;   ///< per index on the wire, 4 or 8
  };

  explicit Threshold(const Settings& settings);

  /// CUDA implementation, of device_threshold.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;
  Message compress_fed(std::span<const float> gradient, std::span<float> residual) override;

 private:
  Magnitude threshold_;
  Candidates candidates_;
};

}  // namespace kernels
