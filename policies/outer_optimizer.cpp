// The keys of outer steps.
#include "policies/outer_optimizer.hpp"

namespace policies {

void describe_outer_step(settings::Fields& fields, double& rate, double& momentum,
                         OuterOptimizer& optimizer) {
  fields.field({.name = "outer_rate",
                .doc = "Learning rate of the outer step, on the mean change of the parameters.",
                .fallback = "0.7",
                .bounds = settings::above_up_to(0, 1000)},
               rate);
  fields.field({.name = "outer_momentum",
                .doc = "Momentum of the outer step.",
                .fallback = "0.9",
                .bounds = settings::from_to_below(0, 1)},
               momentum);
  fields.field({.name = "outer",
                .doc = "Optimizer of the outer step: SGD with Nesterov's momentum, with plain momentum, or "
                       "FedAdam, whose rate is usually 0.001 to 0.1.",
                .fallback = "nesterov"},
               optimizer);
}

}  // namespace policies
