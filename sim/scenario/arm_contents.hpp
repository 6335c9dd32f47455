// Derivations that read files: tables and traces that an arm names, and what was measured on its device.
#pragma once

#include "netmodels/result.hpp"

namespace sim::scenario {

struct Resolving;

/// Changes of a stream's trace, among those that are stated.
netmodels::Result<void> derive_streams(Resolving& arm);

/// Measured times of collectives and of compressing.
netmodels::Result<void> derive_kernel_times(Resolving& arm);

/// Compression times of the stated stack, or of the default one, which may be absent, as in a folder of one's
/// own.
netmodels::Result<void> derive_stack(Resolving& arm);

/// The slow-down of computing beside a collective, where none is stated.
netmodels::Result<void> derive_overlap(Resolving& arm);

/// Points of link traces.
netmodels::Result<void> derive_traces(Resolving& arm);

}  // namespace sim::scenario
