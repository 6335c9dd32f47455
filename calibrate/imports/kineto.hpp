// Import of traces of PyTorch's profiler (Kineto) as workloads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "calibrate/imports/kineto_trace.hpp"
#include "calibrate/imports/traced_graph.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

// One step of a PyTorch profiler trace, taken apart into layers and gradient buckets.

/// A top-level operator of the forward pass and the backward operators that bear its sequence numbers.
struct KinetoLayer {
  std::string kind;  ///< `conv2d`
  std::int64_t parameters = 0;
  std::int64_t batch = 0;
  netmodels::Seconds forward;
  netmodels::Seconds backward;
};

/// An all-reduce that the host called between the begin of the backward pass and the optimizer.
struct KinetoBucket {
  std::size_t layer = 0;  ///< index of the layer whose backward pass was running when it was called
  std::int64_t elements = 0;
  std::string type;
};

/// Parts of the time of a step; they add up to the step.
struct KinetoStepTimes {
  netmodels::Seconds before;  ///< until the first operator of the forward pass begins
  std::vector<KinetoLayer> layers;
  netmodels::Seconds behind;  ///< after the last layer's backward pass and the call of the last bucket
  netmodels::Seconds optimizer;
  netmodels::Seconds after;
  std::vector<KinetoBucket> buckets;
  std::vector<KinetoCollective> buffers;  ///< broadcasts before the backward pass
  std::vector<KinetoCollective> others;   ///< all other collectives
  TracedSpan backward;                    ///< span of the host's backward pass, until the optimizer begins
};

/// Takes a step apart. A layer begins where its operator does and ends where the next one begins; operators
/// without their own backward pass (counters, views) belong to the next layer.
/// @returns an Error, its `what` a clause, where the step has no forward or no backward pass
/// Leaves out: further passes of a step that accumulates gradients (their time counts as backward),
/// recomputed forward passes (likewise).
netmodels::Result<KinetoStepTimes> read_kineto_step(const KinetoTrace& trace, const KinetoStep& step,
                                                    const KinetoProgress& progress);

// Import of PyTorch profiler traces (Kineto) as workloads.

/// Reads a trace and takes its steps apart: each layer's times are means over the steps, and contain the
/// host's gaps; each gradient bucket becomes parameters of the layer whose backward pass completes it. Work
/// of the host after the call for the last bucket becomes backward time of a layer `after_backward` before
/// all others, so that it can hide the last bucket, as in the trace.
///
/// @param stream  the JSON, unpacked
/// @param source  named in errors; the file's name is kept as the source
/// @returns an Error as of `read_kineto`, and for: no step, no step that has both passes, a trace of several
/// ranks without a collective, without sizes or without gradient all-reduces, no layer whose parameters are
/// known
///
/// Broadcasts before the backward pass are the model's buffers. Leaves out: other collectives than these and
/// gradient all-reduces (named and counted), whose time stays where it was; steps whose layers or buckets
/// differ from those of the last whole step (named). Source: Li et al., "PyTorch Distributed: Experiences on
/// Accelerating Data Parallel Training", PVLDB 13(12), 2020, section 4.2 (buckets); PyTorch profiler, Chrome
/// trace of schemaVersion 1.
netmodels::Result<TracedWorkload> import_kineto(std::istream& stream, const std::string& source,
                                                const TraceHints& hints);

/// Bytes of an element as PyTorch names its type; nothing: unknown.
std::optional<double> bytes_of_type(std::string type);

// Import of PyTorch profiler traces as the graphs they are.

/// The step of median duration as a graph: what runs on the stream that computes longest, cut where a
/// collective may begin or is awaited, collectives, and what other streams run as copies. Time in which the
/// device waits for the host is part of the computing that follows; time in which queued computing waits
/// while a collective runs is not.
///
/// A collective may begin when the computing launched before its call is done; an all-gather when the
/// computing is done that was done when it was called, because it waits for the host only. An all-reduce or
/// reduce-scatter during which nothing computes, though something is queued, is awaited by what follows it,
/// any other one by the optimizer; all-gathers and others by the first kernel after the next call that makes
/// a stream wait.
///
/// @param hints  `ranks`: of the job; nothing: as the trace says
/// @returns an Error for: no step, no kernel or no collective in it, a collective whose size, type or group
/// is unknown or that has no schedule, and those of `read_kineto` Leaves out: a host that blocks until a
/// collective is done (its waiting is computing); several communicators at once; computing on several streams
/// at once; that overlap slowed the traced kernels. Source: order of events: PyTorch, ProcessGroupNCCL.cpp
/// (streams wait for events), FSDP's notes on prefetching; compare Liang et al., "Lumos: Efficient
/// Performance Modeling and Estimation for Large-scale LLM Training", MLSys 2025.
netmodels::Result<TracedGraph> graph_kineto(std::istream& stream, const std::string& source,
                                            const TraceHints& hints);

}  // namespace calibrate::imports
