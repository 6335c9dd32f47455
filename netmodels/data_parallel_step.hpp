// Steps of data-parallel training as graphs: gradients exchanged in buckets, or the whole model at once.
#pragma once

#include <span>
#include <vector>

#include "netmodels/buckets.hpp"
#include "netmodels/step_graph.hpp"

namespace netmodels {

/// One collective of a bucket's exchange.
struct BucketStage {
  const Collective* row = nullptr;  ///< null: an exchange policy chooses
  Operation operation;
};

/// How one bucket is exchanged: compressed, then its stages one after another. Without stages it stays on its
/// worker.
struct BucketExchange {
  Bucket bucket;
  std::vector<BucketStage> stages;
  Seconds compress = {};  ///< compression, before the first stage
  Seconds restore = {};   ///< of all messages that the exchange brings
};

/// A step of one worker that exchanges buckets, each as soon as it is ready and the one before is through:
///
///   compute stream:        host overhead, forward, backward in pieces between buckets, optimizer
///   communication stream:  per bucket compress, restore, its collectives
///
/// With `overlap` a bucket is ready when the backward pass has reached its lowest layer, else when all of the
/// backward pass is done. The optimizer waits for every bucket.
///
/// @param batch    samples of the worker
/// @param buckets  in the order in which they become ready; empty: nothing is exchanged
/// Leaves out: that messages are restored after their exchange and not, as here, before it; what compressing
///             costs the backward pass on the same device.
StepGraph data_parallel_step(const Workload& workload, double batch, bool overlap,
                             std::span<const BucketExchange> buckets);

}  // namespace netmodels
