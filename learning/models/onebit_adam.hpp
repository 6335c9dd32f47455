// 1-bit Adam: Adam whose workers, after a dense warm-up, send compressed momenta.
#pragma once

#include <span>

#include "learning/models/optimizer_state.hpp"
#include "settings/fields.hpp"

namespace learning::models {

/// AdamW while whole gradients are exchanged. From the first step on whose exchange is compressed, v stays as
/// the last dense step T left it, and each worker w sends its momentum instead of its gradient; with C the
/// mean of what all sent, as the compressor restores it:
///
///   m_w = beta1 m + (1 - beta1) g_w,   m = C(m_1, m_2, ...)
///   p = (1 - rate decay) p - rate / (1 - beta1^t) m / (sqrt(v / (1 - beta2^T)) + epsilon)
///
/// A value whose v is 0 had no gradient in the warm-up: signs cannot send a momentum of 0, and 0 is taken in
/// its place (the published code takes a mask of such values). The corrections by beta1^t and beta2^T are
/// Adam's; the published code has none.
///
/// Source: Tang et al., "1-bit Adam: Communication Efficient Large-Scale Training with Adam's Convergence
///         Speed", ICML 2021, algorithm 1; the decay of weights as in DeepSpeed.
struct OneBitAdam {
  double beta1 = 0.9;       ///< in [0, 1)
  double beta2 = 0.999;     ///< in [0, 1)
  double epsilon = 1e-8;    ///< above 0
  double weight_decay = 0;  ///< at least 0; decoupled

  bool operator==(const OneBitAdam&) const = default;
};

void describe(settings::Fields& fields, OneBitAdam& settings);

void take_step(const OneBitAdam& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate);

/// m_w. @param sent  as long as the gradient
void find_momentum(const OneBitAdam& settings, const OptimizerState& state, std::span<const float> gradient,
                   std::span<float> sent);

/// The step with m as it was received.
void take_momentum_step(const OneBitAdam& settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate);

}  // namespace learning::models
