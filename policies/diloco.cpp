// Counting local steps up to the outer one.
#include "policies/diloco.hpp"

namespace policies {

Decision DiLoCo::decide(const SynchronisationObservation& seen) {
  if ((seen.step + 1) % settings_.every != 0) return Synchronisation::stay_local;
  Decision decision = Synchronisation::outer_step;
  decision.outer_rate = settings_.outer_rate;
  decision.outer_momentum = settings_.outer_momentum;
  return decision;
}

void describe(settings::Fields& fields, DiLoCo::Settings& settings) {
  describe_every(fields, settings.every);
  fields.field({.name = "outer_rate",
                .doc = "Learning rate of the outer step, on the mean change of the parameters.",
                .fallback = "0.7",
                .bounds = settings::above_up_to(0, 1000)},
               settings.outer_rate);
  fields.field({.name = "outer_momentum",
                .doc = "Nesterov momentum of the outer step.",
                .fallback = "0.9",
                .bounds = settings::from_to_below(0, 1)},
               settings.outer_momentum);
}

}  // namespace policies
