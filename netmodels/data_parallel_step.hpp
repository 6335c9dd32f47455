// Steps of data-parallel training as graphs: gradients exchanged in buckets, or the whole model at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/buckets.hpp"
#include "netmodels/step_graph.hpp"

namespace netmodels {

/// One collective of a bucket's exchange.
struct BucketStage {
  const Collective* row = nullptr;  ///< null: an exchange policy chooses
  Operation operation;
};

/// How one bucket is exchanged: compressed, then its stages one after another, then restored. Without stages
/// it stays on its worker.
struct BucketExchange {
  Bucket bucket;
  std::vector<BucketStage> stages;
  Seconds compress = {};  ///< compression, before the first stage
  Seconds restore = {};   ///< time of restoring all messages that the exchange brings, after the last stage
};

/// Exchange of a step, and its times.
struct StepExchange {
  bool overlap = false;                     ///< whether it overlaps with the backward pass
  std::span<const BucketExchange> buckets;  ///< buckets in the order of becoming ready; empty: nothing
  std::optional<BucketStage> buffers = {};  ///< a broadcast before the forward pass
};

/// The name of the collective that brings the model's buffers; the others have none.
inline constexpr std::string_view buffers_name = "buffers";

/// Adds the exchange of a bucket to a step.
/// @param ready    operations that the bucket waits for
/// @returns the last operation of the exchange
std::uint32_t add_exchange(StepGraph& graph, const BucketExchange& exchange, std::uint32_t bucket,
                           std::vector<std::uint32_t> ready);

/// A step of one worker that exchanges buckets, each as soon as it is ready and the one before is through:
///
///   compute stream:        host overhead, forward, backward in pieces between buckets, optimizer
///   communication stream:  broadcast of the buffers, per bucket compress, its collectives, restore
///   beside all streams:    the time until a ready bucket may be sent (`Bucket::delay`)
///
/// The forward pass waits for the buffers. With `overlap` a bucket is ready when the backward pass has
/// reached its lowest layer, else when all of the backward pass is done. The optimizer waits for every
/// bucket.
///
/// Micro-batches before the last one exchange nothing.
///
/// @param batch  samples of the worker, of all micro-batches together
/// Leaves out: what compressing costs the backward pass on the same device; that DDP sends buffers of
///             different types by a broadcast each, in pieces of at most 250 MiB.
/// Source: buffers: PyTorch torch/nn/parallel/distributed.py (`_sync_buffers` in `_pre_forward`).
StepGraph data_parallel_step(const Workload& workload, double batch, const StepExchange& exchange);

}  // namespace netmodels
