// The loop over gradients that reach a parameter server one by one.
#pragma once

#include "netmodels/result.hpp"
#include "sim/engine/record.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/engine/training_loop.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Plays a scenario that `is_asynchronous`. A recorded step is as many gradients as there are workers,
/// whoever sent them: it holds as many samples as a step of bulk-synchronous training where all batches are
/// alike. Its duration is the time since the step before, its parts are those of its gradients in the same
/// proportions.
netmodels::Result<ArmResult> simulate_asynchronously(const scenario::Scenario& scenario,
                                                     const Listeners& listeners, TrainingLoop loop,
                                                     ClusterCache& clusters);

}  // namespace sim::engine
