// One step of bulk-synchronous training: when buckets are ready, when they are exchanged, and where the time
// goes.
#pragma once

#include <functional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/record.hpp"

namespace sim::engine {

/// What a worker computes in a step at nominal speed.
struct ComputePlan {
  netmodels::Seconds host_overhead;
  netmodels::Seconds forward;
  netmodels::Seconds backward;
  netmodels::Seconds optimizer;
  std::vector<netmodels::Seconds> ready;     ///< per bucket, since the backward pass began
  std::vector<netmodels::Seconds> compress;  ///< per bucket, compression and restoring of all messages

  [[nodiscard]] netmodels::Seconds total() const { return host_overhead + forward + backward + optimizer; }
};

/// How computing and communicating share the time.
struct OverlapRule {
  bool overlap = true;  ///< buckets are exchanged while the backward pass goes on; else after it
  double slowdown = 0;  ///< computing takes longer by this share while an exchange runs
};

/// A bucket's way through the network; times since the step began.
struct BucketTimes {
  netmodels::Seconds ready;     ///< on the slowest worker
  netmodels::Seconds compress;  ///< begins
  netmodels::Seconds exchange;  ///< begins
  netmodels::Seconds end;
};

struct StepTimes {
  netmodels::Seconds duration;
  netmodels::Seconds backward_end;  ///< on the slowest worker
  netmodels::Seconds exchange_busy;
  /// Half of what the step takes longer with every measured exchange at the upper end of its error than with
  /// every one at the lower end. The end is where nine of ten held-out sizes lie within. 0 where no exchange
  /// was measured. Leaves out: errors of compute and compression times, and that errors of several exchanges
  /// may cancel.
  netmodels::Seconds margin;
  Parts parts;
  std::vector<BucketTimes> buckets;
};

/// Prices the exchange of a bucket that starts so long after the step began.
using PriceBucket =
    std::function<netmodels::Result<netmodels::Seconds>(std::size_t bucket, netmodels::Seconds start)>;

/// Plays a step. Buckets are exchanged one after another in their order, each as soon as the slowest worker
/// has it and the one before is through; compression goes before its exchange.
///
/// @param slowest, mean  the workers' factors on compute time
/// @param times  overwritten; kept by the caller to save allocations
/// @returns nothing, or the Error of an exchange that could not be priced
/// Leaves out: that messages are restored after their exchange and not, as here, before it; workers that
/// enter an exchange at different times; several exchanges at once; what compressing costs
///             the backward pass on the same device, unless `slowdown` stands for it; stragglers that
///             compress slowly.
/// Source: gradient buckets overlapped with the backward pass as in Li et al., "PyTorch Distributed:
/// Experiences on
///         Accelerating Data Parallel Training", PVLDB 13(12), 2020; the sum of parts as in Tyagi & Swany,
///         IEEE BigData 2023, equation (3).
netmodels::Result<void> play_step(const ComputePlan& plan, const OverlapRule& rule, double slowest,
                                  double mean, const PriceBucket& price, StepTimes& times);

}  // namespace sim::engine
