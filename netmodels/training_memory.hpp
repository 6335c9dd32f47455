// Memory of a worker in training: states of the model, gathered units, activations.
#pragma once

#include "netmodels/quantity.hpp"
#include "netmodels/sharded_step.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

/// Bytes for each parameter that a worker holds, or a share of them. The defaults are those of Adam in mixed
/// precision: two for the parameter, two for its gradient, and 12 for its fp32 copy and two moments.
struct StateBytes {
  double parameter = 2;
  double gradient = 2;
  double optimizer = 12;
};

/// What a worker's memory holds when the backward pass begins, in parts.
struct WorkerMemory {
  Bytes parameters;
  Bytes gradients;
  Bytes optimizer;
  Bytes gathered;          ///< whole units, with the whole gradient of one
  Bytes activations;       ///< of the blocks of a micro-batch
  Bytes outside;           ///< of what follows them, such as logits
  Bytes second_copy = {};  ///< share of the parameters that a node keeps beside the others
  Bytes errors = {};       ///< of gradients that were not sent yet

  /// What does not depend on the batch.
  [[nodiscard]] Bytes states() const {
    return parameters + gradients + optimizer + gathered + second_copy + errors;
  }
  [[nodiscard]] Bytes total() const { return states() + activations + outside; }
};

/// For P trained parameters on D = `shards` workers; frozen ones add their share of p alone:
///   none                    p + g + o bytes each
///   zero1, zero2            p + g + o/D, p + (g + o)/D
///   fsdp, hsdp              (p + g + o)/D, and 1 + prefetch of the largest unit in `parameter_bytes` with
///   one
///                           in `gradient_bytes`, and a root unit; all units without `reshard_after_forward`
///   second copies           p/g beside it, for g workers of a node
///   whole_gradients         g in place of g/D
/// @param workload  with `memory`
/// @param samples   of a micro-batch
/// Leaves out: the framework, the caching of its allocator, buffers of NCCL; norms,
/// which every GPU of a tensor group holds whole. It is what a framework allocates: NeMo's states within 1 %,
/// 8 peaks of FSDP and NeMo within 7 %, 11 of tensor groups within 10 %. What an allocator reserved was 15 GB
/// more in 6 runs of torchtitan, what nvidia-smi showed 3 to 30 GB more in 61 of Megatron-DeepSpeed; a
/// constant of other sources brought no allocated peak nearer, so none is counted. Source: Rajbhandari et
/// al., "ZeRO", SC 2020, figure 1; Korthikanti et al. 2022 for activations.
WorkerMemory worker_memory(const Workload& workload, double samples, const ShardedExchange& exchange,
                           const StateBytes& states);

}  // namespace netmodels
