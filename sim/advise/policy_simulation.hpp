// A candidate simulated on one network: a sampled run of its training, or all of it with a live learner.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

// The part of a training that is simulated instead of all of it.

/// The simulated part.
struct SampledRun {
  scenario::Scenario scenario;               ///< without a learner, as many steps as are simulated at most
  std::optional<netmodels::Seconds> period;  ///< only steps that begin before this count: a whole period of
                                             ///< the network; nothing: all steps count
};

/// A training of `whole` steps, of which `steps` are simulated:
///
///   the network is constant:          the first steps, which are like all others;
///   it changes at stated moments:     at least 2000, the moments scaled by steps / whole, so that each
///   state
///                                     lasts the same share of the training;
///   it repeats itself (a period):     as many as one period holds, at most 5000; a longer period is
///   shortened
///                                     to so many, which changes the network faster and by the same shares;
///                                     where steps turn out shorter than `step`, more are simulated, to the
///                                     end of the period, at most 500000;
///   both:                             as for stated moments, periods scaled too.
///
/// @param whole  steps, at least 1
/// @param steps  wanted, at least 1
/// @param step   the approximate time of a step, for the number of steps in a period
/// Leaves out: effects of the order of states in time beyond their shares.
SampledRun sampled_run_of(scenario::Scenario training, double whole, std::int64_t steps,
                          netmodels::Seconds step);

/// Means per step of the simulated part.
struct SimulatedPolicy {
  netmodels::Seconds step;  ///< with probes and other time outside the steps
  engine::Parts parts;
  netmodels::Seconds exchange_busy;
  /// How much shorter and longer `step` is if compressing takes the least and the most time that is possible;
  /// nothing: no longest time of compressing is known.
  netmodels::Seconds sooner;
  std::optional<netmodels::Seconds> later = netmodels::Seconds{};
  netmodels::Seconds margin;                    ///< up and down, of measured collectives; 0 where none was
  std::optional<netmodels::Bytes> sent_by_all;  ///< nothing for closed forms
  std::string collective;                       ///< that carried values in most steps; empty where none did
  double steps = 1;                             ///< to the target; of a sampled run: simulated steps
  std::optional<double> accuracy;               ///< at the target, or the best where it was not reached
  bool reached = true;                          ///< the target, where one is learned
  std::string learner;
};

/// Finds `sooner` and `later` of a candidate: where steps are alike, by one step on each declared state of
/// its network, and the longest differences count; else from the cost of compressing the whole gradient,
/// shared by the steps between two exchanges as if nothing of it were hidden behind computing.
/// @returns `simulated` with both; as it was where gradients are sent as they are or the time is stated; or
/// the Error of `engine::explain`
netmodels::Result<SimulatedPolicy> with_compressing_range(SimulatedPolicy simulated,
                                                          const scenario::Scenario& training,
                                                          engine::ClusterCache& clusters);

/// Simulates a sampled run. @returns the means, or the Error of a cluster that cannot be built or evaluated,
/// or of steps that end before the period does
netmodels::Result<SimulatedPolicy> simulate_sample(const SampledRun& sampled, engine::LearnerShelf& shelf,
                                                   engine::ClusterCache& clusters);

/// Simulates a training whose learner is live until it reaches its target.
netmodels::Result<SimulatedPolicy> simulate_to_target(scenario::Scenario training,
                                                      engine::LearnerShelf& shelf,
                                                      engine::ClusterCache& clusters);

/// As bytes, for another process.
std::string pack(const SimulatedPolicy& played);
SimulatedPolicy unpack_policy(const std::string& bytes);

}  // namespace sim::advise
