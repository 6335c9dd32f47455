// Import of Chakra execution traces as workloads.
#pragma once

#include <vector>

#include "calibrate/imports/chakra_reader.hpp"
#include "calibrate/imports/chakra_trace.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Brings each rank's nodes into the order of their dependencies and adds up what the device computes: until
/// the first node of the backward pass (its name says `backward`) as the forward pass, from there to each
/// all-reduce as the backward time of the layer that the bucket completes, behind the last all-reduce as the
/// optimizer. Where a trace does not tell device from host, all computing counts; where no name says
/// `backward`, all of it until the first all-reduce is backward time.
///
/// @param traces  one for each rank; at least one. Each time is that of the slowest rank
/// @returns an Error for: an id that stands twice, nodes that depend on each other in a circle, no all-reduce
/// of a known size, ranks whose all-reduces differ
/// Leaves out: the host's nodes where there are device nodes of their kind (computing, all-reduces), so that
/// a run bound by its launches comes out too fast; communicators; sends and receives and other collectives
/// (counted).
/// Source: Sridharan et al., "Chakra: Advancing Performance Benchmarking and Co-design using Standardized
/// Execution Traces", 2023; schema 0.0.4.
netmodels::Result<TracedWorkload> import_chakra(const std::vector<ChakraTrace>& traces,
                                                const TraceHints& hints);

}  // namespace calibrate::imports
