// 0/1 Adam: Adam with a variance that is rarely updated, then frozen, and momenta that are rarely exchanged.
#pragma once

#include <span>

#include "learning/models/optimizer_state.hpp"
#include "settings/fields.hpp"

namespace learning::models {

/// 0/1 Adam. With r = sqrt(v) + epsilon, g the mean of whole gradients, C the mean of what all workers w
/// sent, as the compressor restores it, and the kind of each step chosen by the synchronisation policy:
///
///   whole gradients:        m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2,
///                           p = p - rate (m / r + decay p)
///   compressed gradients:   m = beta1 m + (1 - beta1) C(g_1, g_2, ...), and the same p; v stays
///   then, with v frozen, in every step of each worker:
///                           m_w = beta1 m_w + (1 - beta1) g_w,   d_w = rate (m_w / r + decay p_w),
///                           p_w = p_w - d_w,   u_w = u_w - d_w,   s = s + rate
///   and where momenta are exchanged after it:
///                           U = C(r u_1, r u_2, ...),   m = -U / s,   p = p + U / r, from the p that all had
///                           last;   u_w = 0,   s = 0
///
/// What error feedback keeps of gradients is not added to momenta, whose residual begins at 0. Where all
/// rates were 0 since the last exchange, m stays. m and v are not corrected for beginning at 0. A value whose
/// v is 0 had no gradient in any step with whole ones: it is treated as in `OneBitAdam`.
///
/// Source: Lu, Li, Zhang, De Sa & He, "Maximizing Communication Efficiency for Large-scale Training via 0/1
///         Adam", ICLR 2023, algorithm 1; the form with g in place of m where gradients are compressed, the
///         decay, and no corrections: DeepSpeed's implementation.
struct ZeroOneAdam {
  double beta1 = 0.9;       ///< in [0, 1)
  double beta2 = 0.999;     ///< in [0, 1)
  double epsilon = 1e-8;    ///< above 0
  double weight_decay = 0;  ///< at least 0; of all parameters, biases too

  bool operator==(const ZeroOneAdam&) const = default;
};

void describe(settings::Fields& fields, ZeroOneAdam& settings);

/// The step with the mean of whole gradients.
void take_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate);

/// The step with the mean of compressed ones. A step with whole ones came first.
void take_compressed_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                          std::span<const float> received, double learning_rate);

/// A worker's own step, with v frozen.
void take_local_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                     std::span<const float> gradient, double learning_rate);

/// r u_w. @param sent  as long as the parameters
void find_accumulated(const ZeroOneAdam& settings, const OptimizerState& state, std::span<float> sent);

/// The step with U.
/// @param parameters  that all workers had last
void take_accumulated_step(const ZeroOneAdam& settings, OptimizerState& state, std::span<float> parameters,
                           std::span<const float> received);

}  // namespace learning::models
