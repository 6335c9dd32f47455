// A replica of a transformer on several devices: layers shared by tensor parallelism, blocks by a pipeline.
#pragma once

#include <cstdint>

#include "netmodels/link_state.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

/// Degrees of the parallelism inside a replica.
struct ModelParallel {
  std::uint32_t tensor = 1;       ///< devices that share the matrices of each layer
  std::uint32_t pipeline = 1;     ///< stages, each with as many blocks as the others
  std::uint32_t interleave = 1;   ///< chunks of blocks on each stage; 1: stages of consecutive blocks
  bool sequence_parallel = true;  ///< whether activations between the matrix products are shared, too
  bool split_embedding =
      true;                   ///< false: each device holds the token embedding, and a head tied to it, whole
  bool shared_inputs = true;  ///< false: each matrix product that reads an input sums its gradient by itself

  [[nodiscard]] std::uint32_t devices() const { return tensor * pipeline; }
};

/// The workload of one device of a replica, for `accumulate` and data parallelism as any other: the last
/// stage of a pipeline, which computes the most. Layers take 1/tensor of their time and parameters; each
/// block adds two all-reduces of its output to the forward pass, as many to the backward pass (or one for
/// each of its `input_products` where they do not share inputs), and again as many where that repeats the
/// forward pass; an embedding and a head that are split add one each. A tied head brings the embedding's
/// parameters to the last stage. Memory is that of the stage with the most: the first, which keeps min(m, p)
/// micro-batches (interleaved in v chunks, min(m, p + (p - 1) / v)), or the last, with the logits.
///
/// @param whole       with `token_work` and `memory`; its blocks are a multiple of pipeline x interleave
/// @param all_reduce  of a block's output among the devices of a tensor group, by samples of a micro-batch
/// @param micro_batches  m, of a step, at least 1
/// Leaves out: the lower utilisation of narrower matrices; norms, which every device holds whole; experts
/// that lie on several devices. Source: Shoeybi et al., "Megatron-LM", 2019; Narayanan et al., "Efficient
/// Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021; Korthikanti et al., 2022
/// (memory).
Workload replica_share(Workload whole, const ModelParallel& parallel, const LinearTime& all_reduce,
                       std::uint32_t micro_batches);

/// Adds what a pipeline costs each step to the host's time of a share that was accumulated: the bubble of
/// (p - 1) / (v m) of both passes, and 2 (m v + p - 1) transfers of a block's output to the next stage, which
/// nothing hides.
/// @param next  from one device to that of the next stage, while all devices of a node send
/// Source: Narayanan et al., SC 2021, sections 2.2 and 4.1.
void add_pipeline(Workload& share, const ModelParallel& parallel, const LinkState& next);

/// Replaces the link to the next stage.
/// @param before  that of `add_pipeline`
void change_pipeline_link(Workload& share, const ModelParallel& parallel, const LinkState& before,
                          const LinkState& now);

}  // namespace netmodels
