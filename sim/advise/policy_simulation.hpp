// A candidate played on one network: a sampled run of its training, or all of it where it really learns.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/advise/sampled_run.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

/// Means per step of what was played.
struct SimulatedPolicy {
  netmodels::Seconds step;  ///< with probes and other time outside the steps
  engine::Parts parts;
  netmodels::Seconds exchange_busy;
  netmodels::Seconds margin;                    ///< up and down, of measured collectives; 0 where none was
  std::optional<netmodels::Bytes> sent_by_all;  ///< nothing for printed forms
  std::string collective;                       ///< that carried values in most steps; empty where none did
  double steps = 1;                             ///< to the target; of a sampled run: that were played
  std::optional<double> accuracy;               ///< at the target, or the best where it was not reached
  bool reached = true;                          ///< the target, where one is learned
  std::string learner;
};

/// Plays a sampled run. @returns the means, or the Error of a cluster that cannot be built or priced, or of
/// steps that end before the period does
netmodels::Result<SimulatedPolicy> simulate_sample(const SampledRun& sampled, engine::LearnerShelf& shelf,
                                                   engine::ClusterCache& clusters);

/// Plays a training whose learner is live until it reaches its target.
netmodels::Result<SimulatedPolicy> simulate_to_target(const scenario::Scenario& training,
                                                      engine::LearnerShelf& shelf,
                                                      engine::ClusterCache& clusters);

/// As bytes, for another process.
std::string pack(const SimulatedPolicy& played);
SimulatedPolicy unpack_policy(const std::string& bytes);

}  // namespace sim::advise
