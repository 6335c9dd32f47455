// Outer optimizers: steps along the mean change of the models.
#pragma once

#include <array>
#include <cstdint>

#include "settings/choice.hpp"

namespace policies {

/// Rule of an outer step. With d the negative mean change, b the momentum and eta the rate, from v = q = 0:
///
///   nesterov  v = b v + d,              c = c - eta (d + b v)
///   sgd       v = b v + d,              c = c - eta v
///   adam      v = b v + (1 - b) d,      q = 0.99 q + 0.01 d^2,   c = c - eta v / (sqrt(q) + 0.001)
///
/// Source: DiLoCo's is Nesterov's: Douillard et al., 2023; FedAdam, whose moments are not corrected for their
///         start: Reddi et al., "Adaptive Federated Optimization", ICLR 2021, Algorithm 2.
enum class OuterOptimizer : std::uint8_t { nesterov, sgd, adam };

constexpr auto names_of(OuterOptimizer) {
  return std::to_array<settings::Named<OuterOptimizer>>(
      {{"nesterov", OuterOptimizer::nesterov}, {"sgd", OuterOptimizer::sgd}, {"adam", OuterOptimizer::adam}});
}

/// The keys `outer_rate`, `outer_momentum` and `outer`, of policies with outer steps.
void describe_outer_step(settings::Fields& fields, double& rate, double& momentum, OuterOptimizer& optimizer);

}  // namespace policies
