// Import of PyTorch profiler traces (Kineto) as workloads.
#pragma once

#include <istream>
#include <string>

#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Reads a trace and takes its steps apart: each layer's times are means over the steps, and contain the
/// host's gaps; each gradient bucket stands as parameters at the layer whose backward pass completes it. What
/// the host does after the last bucket is called stands as backward time of a layer `after_backward` before
/// all others, so that the last bucket can hide behind it, as it did.
///
/// @param stream  the JSON, unpacked
/// @param source  named in errors; the file's name is kept as the source
/// @returns an Error as of `read_kineto`, and for: no step, no step that has both passes, a trace of several
/// ranks without a collective, without sizes or without gradient all-reduces, no layer whose parameters are
/// known Leaves out: collectives other than gradient all-reduces (named and counted; their time stays where
/// it was); steps whose layers or buckets differ from those of the last whole step (named). Source: Li et
/// al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", PVLDB 13(12), 2020,
/// section 4.2 (buckets); PyTorch profiler, Chrome trace of schemaVersion 1.
netmodels::Result<TracedWorkload> import_kineto(std::istream& stream, const std::string& source,
                                                const TraceHints& hints);

}  // namespace calibrate::imports
