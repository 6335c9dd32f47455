// LAMB, and 1-bit LAMB, whose workers send compressed momenta after a dense warm-up.
#pragma once

#include <optional>
#include <span>

#include "learning/models/optimizer_state.hpp"
#include "settings/fields.hpp"

namespace learning::models {

/// Adam whose step is as long, matrix by matrix, as the matrix itself (a vector is a matrix of one row):
///
///   g = gradient;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
///   u = m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon) + decay p
///   c = |p| / |u| within [min_trust, max_trust], 1 where either is 0;   p = p - rate c u
///
/// Source: You et al., "Large Batch Optimization for Deep Learning: Training BERT in 76 minutes", ICLR 2020,
///         algorithm 2; the bounds of c are DeepSpeed's.
struct Lamb {
  double beta1 = 0.9;          ///< in [0, 1)
  double beta2 = 0.999;        ///< in [0, 1)
  double epsilon = 1e-6;       ///< above 0
  double weight_decay = 0.01;  ///< at least 0; of all parameters, biases too
  double min_trust = 0.01;     ///< above 0, at most `max_trust`
  double max_trust = 10;

  bool operator==(const Lamb&) const = default;
};

void describe(settings::Fields& fields, Lamb& settings);
/// Bounds of the trust ratio in the wrong order.
std::optional<settings::Problem> problem_of(const Lamb& settings);

void take_step(const Lamb& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate);

/// LAMB while whole gradients are exchanged; on the way the trust ratio c of each matrix is averaged,
/// c' = trust_beta c' + (1 - trust_beta) c from the first c on. From the first step on whose exchange is
/// compressed, v and c' stay as the last dense step T left them, and each worker sends its momentum:
///
///   m_w = beta1 m + (1 - beta1) g_w, times s for its matrix, with which all matrices had the same root mean
///   square of m at step T;   m = C(m_1, m_2, ...) / s
///   h = (m - beta1 m_before) / (1 - beta1), the gradient as it arrived;   f = beta2 f + (1 - beta2) h^2,
///   from v on x = max (sqrt(v / (1 - beta2^T)) + epsilon) / (sqrt(f / (1 - beta2^t)) + epsilon) over the
///   matrix x = q x + 1 - q with q = min(1, |m-part of u| / |u|), then within [min_factor, max_factor], then
///   within (1 +- factor_threshold) of the x before it, which is 1 at first u as in LAMB with the frozen v;
///   p = p - rate c' x u
///
/// Values whose v is 0 are treated as in `OneBitAdam`.
///
/// Source: Li, Awan, Tang, Rajbhandari & He, "1-bit LAMB: Communication Efficient Large-Scale Large-Batch
///         Training with LAMB's Convergence Speed", HiPC 2022, algorithm 1, and DeepSpeed's implementation;
///         there c' begins at 0.
struct OneBitLamb {
  Lamb lamb;
  double trust_beta = 0.9;        ///< in [0, 1)
  double min_factor = 0.5;        ///< in (0, 1]
  double max_factor = 4;          ///< at least 1
  double factor_threshold = 0.1;  ///< in (0, 1)

  bool operator==(const OneBitLamb&) const = default;
};

void describe(settings::Fields& fields, OneBitLamb& settings);
std::optional<settings::Problem> problem_of(const OneBitLamb& settings);

void take_step(const OneBitLamb& settings, OptimizerState& state, std::span<float> parameters,
               std::span<const float> gradient, double learning_rate);

/// s m_w. @param sent  as long as the gradient
void find_momentum(const OneBitLamb& settings, const OptimizerState& state, std::span<const float> gradient,
                   std::span<float> sent);

/// The step with s m as it was received.
void take_momentum_step(const OneBitLamb& settings, OptimizerState& state, std::span<float> parameters,
                        std::span<const float> received, double learning_rate);

}  // namespace learning::models
