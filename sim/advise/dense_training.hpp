// The training that others are held against: bulk-synchronous, with gradients sent as they are.
#pragma once

#include "sim/scenario/scenario.hpp"

namespace sim::advise {

/// Whether gradients meet in every step, and are sent as they are.
bool is_dense(const scenario::Scenario& training);

/// The same training with nothing to learn from but its batch: bulk-synchronous, nothing compressed, by the
/// cheapest collective.
scenario::Scenario dense_of(const scenario::Scenario& training);

}  // namespace sim::advise
