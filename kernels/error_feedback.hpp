// Error feedback: unsent values are kept and added to the next gradient.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/compressor.hpp"

namespace kernels {

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

}  // namespace kernels
