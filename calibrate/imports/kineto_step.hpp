// One step of a PyTorch profiler trace, taken apart into layers and gradient buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/imports/kineto_progress.hpp"
#include "calibrate/imports/kineto_trace.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

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
  std::size_t layer = 0;  ///< whose backward pass was running when it was called
  std::int64_t elements = 0;
  std::string type;
};

/// Where the time of a step went; the parts add up to the step.
struct KinetoStepTimes {
  netmodels::Seconds before;  ///< until the first operator of the forward pass begins
  std::vector<KinetoLayer> layers;
  netmodels::Seconds behind;  ///< after the last layer's backward pass and the call of the last bucket
  netmodels::Seconds optimizer;
  netmodels::Seconds after;
  std::vector<KinetoBucket> buckets;
  std::vector<KinetoCollective> others;  ///< collectives that are no bucket
  TracedSpan backward;                   ///< of the host, until the optimizer begins
};

/// Takes a step apart. A layer begins where its operator does and ends where the next one begins; operators
/// without a backward pass of their own (counters, views) belong to the next layer.
/// @returns an Error, its `what` a clause, where the step has no forward or no backward pass
/// Leaves out: further passes of a step that accumulates gradients (their time counts as backward),
/// recomputed forward passes (likewise).
netmodels::Result<KinetoStepTimes> read_kineto_step(const KinetoTrace& trace, const KinetoStep& step,
                                                    const KinetoProgress& progress);

}  // namespace calibrate::imports
