// One step at the lowest, the usual and the highest goodput of a cluster's fabric.
#pragma once

#include <optional>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/cluster_cache.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Time per sample of all workers together, in the first step without jitter, by goodput.
struct GoodputSteps {
  netmodels::Seconds low;
  netmodels::Seconds mid;
  netmodels::Seconds high;
};

/// Whether every step exchanges the same on a network that does not change: no policy decides what is sent or
/// which steps exchange.
bool has_like_steps(const policies::SynchronisationChoice& synchronisation,
                    const scenario::Compression& compression, const policies::BatchingChoice& batching,
                    const std::optional<scenario::Streams>& streams);

/// Simulates that step three times. Links inside a node take their own lowest and highest goodput along.
/// @param scenario  as `explain` takes it
/// @returns nothing for a cluster without a fabric, and where steps are not alike: the network changes, or a
///          policy decides what is sent or which steps exchange; or the Error of `explain`
/// Leaves out: links of single workers, which stay as they are stated; exchanges inside a tensor group, which
/// take the time of the usual goodput.
netmodels::Result<std::optional<GoodputSteps>> goodput_steps(const scenario::Scenario& scenario,
                                                             ClusterCache& clusters);

}  // namespace sim::engine
