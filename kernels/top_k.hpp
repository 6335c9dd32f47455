// Exact top-k: the k values of largest magnitude of the whole vector.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/compressor.hpp"
#include "kernels/largest.hpp"

namespace kernels {

/// Sends k = kept(ratio, n) values, always exactly k: the first of the order (|v| descending, index
/// ascending). Error feedback is fused: one pass reads gradient and residual and writes the residual.
///
/// Published code leaves ties to the order of a parallel sort, truncates c n to an integer that may be 0, and
/// starts its residuals from uninitialised memory; here all three are defined.
/// Source: Stich, Cordonnier & Jaggi, "Sparsified SGD with Memory", NeurIPS 2018.
class TopK : public Sparsifier {
 public:
  struct Settings {
    double ratio = 0.01;  ///< c, kept / original, in (0, 1]
    int index_bytes = 4;  ///< per index on the wire, 4 or 8
  };

  explicit TopK(const Settings& settings);

  /// CUDA implementation, of device_top_k.cu; null where a program has none, see Compressor.
  [[gnu::weak]] static DeviceCompressorPtr make_on_device(const Settings& settings);

  Message compress(std::span<const float> vector) override;
  Message compress_fed(std::span<const float> gradient, std::span<float> residual) override;

  /// See Largest.
  [[nodiscard]] std::int64_t rescans() const { return largest_.rescans(); }

 private:
  double ratio_;
  Largest largest_;
};

}  // namespace kernels
