// What a training to the target would take, from epochs and the time of a step.
#include "policies/planning_policy.hpp"

namespace policies {

Prediction predict_training(const PlanningObservation& seen, const Configuration& configuration,
                            double epochs, netmodels::Seconds step) {
  const netmodels::Seconds work = epochs * seen.samples / configuration.batch * step;
  const netmodels::Seconds time = seen.rental.expected_time(work, configuration.workers);
  return {epochs, step, time, seen.rental.cost(time, configuration.workers)};
}

}  // namespace policies
