// The mean step of a candidate by closed forms, and the baseline of candidates.
#pragma once

#include <string>

#include "netmodels/collective.hpp"
#include "netmodels/quantity.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::advise {

// The baseline: bulk-synchronous, with gradients sent as they are.

/// Whether gradients are averaged in every step and sent uncompressed.
bool is_dense(const policies::SynchronisationChoice& synchronisation,
              const scenario::Compression& compression);

/// The same training with nothing to learn from but its batch: bulk-synchronous, nothing compressed, by the
/// cheapest collective.
scenario::Scenario dense_of(const scenario::Scenario& training);

// The mean step of a candidate by closed forms, without simulation.

/// Local steps and steps that exchange, in the share in which they come.
struct ClosedStep {
  netmodels::Seconds duration;
  engine::Parts parts;
  netmodels::Seconds exchange_busy;
  netmodels::Seconds latency;        ///< of `exchange_busy`: the part left on links of infinite bandwidth
  netmodels::Bytes gathered;         ///< that every worker receives by all-gather
  std::string_view collective = "";  ///< that carries the values
};

/// Where a policy decides from step to step whether to exchange, every step counts as one that does.
/// @param link  between any two workers of a free homogeneous network
/// Leaves out: jitter, slow-downs in time, and everything that changes during a step.
ClosedStep closed_step(const scenario::Scenario& scenario, const netmodels::LinkState& link);

}  // namespace sim::advise
