// Momentum correction: error feedback that accumulates velocity instead of gradient, with factor masking.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"

namespace kernels {

/// The memory that DGC puts in front of a sparsifier, instead of ErrorFeedback and of the optimizer's
/// momentum:
///
///   u = m u + g,   v = v + u,   sent = C(v),   v = v - sent,   and u = 0 where something was sent (masking).
///
/// Nesterov: u = m (u + g), v = v + u + g. Both memories start at zero. A message without indices masks
/// nothing. Leaves out: gradient clipping by the all-reduced norm, warm-up of the ratio. Source: Lin et al.,
/// "Deep Gradient Compression", ICLR 2018, section 3 and Algorithm 3.
class MomentumCorrection {
 public:
  struct Settings {
    float momentum = 0.9F;  ///< m, in [0, 1)
    bool nesterov = false;
    bool masking = true;  ///< stops stale momentum at the indices sent
  };

  /// @param elements  n, at least 0
  MomentumCorrection(std::int64_t elements, const Settings& settings);

  /// One whole step; the gain is that of v.
  Message compress(Compressor& compressor, std::span<const float> gradient);

  [[nodiscard]] std::span<const float> velocity() const { return velocity_; }
  [[nodiscard]] std::span<const float> residual() const { return residual_; }

 private:
  Settings settings_;
  std::vector<float> velocity_;
  std::vector<float> residual_;
};

}  // namespace kernels
