// Makes what a run needs, and runs it.
#include "sim/engine/simulate.hpp"

#include <utility>

#include "sim/engine/failures.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/simulate_asynchronous.hpp"
#include "sim/engine/step_simulator.hpp"
#include "sim/engine/synchronous_run.hpp"
#include "sim/engine/training_loop.hpp"

namespace sim::engine {

using netmodels::Result;

Result<void> check_cluster(const scenario::Scenario& scenario, ClusterCache& clusters) {
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
  GRADSIM_TRY(failures, FailurePlan::make(scenario.cluster, (*simulator)->platform()));
  return {};
}

Result<ArmResult> simulate(const scenario::Scenario& scenario, const Listeners& listeners,
                           LearnerShelf& shelf, ClusterCache& clusters) {
  GRADSIM_TRY(learner, shelf.make(scenario));
  TrainingLoop loop(scenario.work, scenario.cluster, scenario.exchange, scenario.learner,
                    std::move(*learner));
  if (is_asynchronous(scenario.exchange.synchronisation))
    return simulate_asynchronously(scenario, listeners, std::move(loop), clusters);
  GRADSIM_TRY(simulator, StepSimulator::make(scenario, clusters));
  GRADSIM_TRY(failures, FailurePlan::make(scenario.cluster, (*simulator)->platform()));
  return SynchronousRun(scenario, listeners, **simulator, std::move(*failures), std::move(loop)).run();
}

}  // namespace sim::engine
