// Unsent values are kept: error feedback, and momentum correction, which accumulates velocity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"

namespace kernels {

// Error feedback: unsent values are kept and added to the next gradient.

/// The residual memory of one rank, for any compressor:
///
///   e_t = g_t + r_(t-1),   sent_t = C(e_t),   r_t = e_t - sent_t,   r_0 = 0.
///
/// Published code starts the residual from uninitialised memory. Where a value that is not finite was sent, 0
/// is kept. Leaves out: weights on g and r other than 1. Source: Seide et al., "1-Bit Stochastic Gradient
/// Descent ...", Interspeech 2014; Karimireddy et al., "Error
///         Feedback Fixes SignSGD and other Gradient Compression Schemes", ICML 2019.
class ErrorFeedback {
 public:
  /// @param elements  n, at least 0
  explicit ErrorFeedback(std::int64_t elements) : residual_(static_cast<std::size_t>(elements)) {}

  /// One whole step, fused where the compressor can. The message's gain is that of e_t.
  Message compress(Compressor& compressor, std::span<const float> gradient) {
    return compressor.compress_fed(gradient, residual_);
  }

  /// First half of a step in two: returns e_t, which lies in the residual until `keep`. For methods whose
  /// message needs other ranks' first (ar_topk, power_sgd).
  std::span<const float> feed(std::span<const float> gradient);

  /// Second half: leaves what the message does not restore.
  void keep(const Compressor& compressor, const Message& message) { compressor.subtract(message, residual_); }

  [[nodiscard]] std::span<const float> residual() const { return residual_; }

 private:
  std::vector<float> residual_;
};

// Momentum correction: error feedback that accumulates velocity instead of gradient, with factor masking.

/// The memory that DGC places before a sparsifier, instead of ErrorFeedback and of the optimizer's
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
