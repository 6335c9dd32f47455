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
  Bytes framework = {};    ///< context of the device, library buffers, what the allocator keeps unused

  /// What does not depend on the batch.
  [[nodiscard]] Bytes states() const {
    return parameters + gradients + optimizer + gathered + second_copy + errors;
  }
  /// The peak that a framework's allocator hands out.
  [[nodiscard]] Bytes allocated() const { return states() + activations + outside; }
  /// What the device shows as taken.
  [[nodiscard]] Bytes total() const { return allocated() + framework; }
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
/// Leaves out: norms, which every GPU of a tensor group holds whole; the framework (`framework_share`). It is
/// what a framework allocates: NeMo's states within 1 %, 8 peaks of FSDP and NeMo within 7 %, 11 of tensor
/// groups within 10 %. Source: Rajbhandari et al., "ZeRO", SC 2020, figure 1; Korthikanti et al. 2022 for
/// activations.
WorkerMemory worker_memory(const Workload& workload, double samples, const ShardedExchange& exchange,
                           const StateBytes& states);

/// What the device shows as taken beyond what a framework allocated, as a share of that: what its allocator
/// keeps unused, the context of the device, buffers of NCCL. Fitted, to two digits, to the medians of two
/// stacks: 61 peaks that nvidia-smi showed of Megatron-DeepSpeed (32 %) and 14 that the allocator of
/// torchtitan had reserved (17 %). Of all 75, half are within 7 % of the sum and nine of ten within 15 %;
/// each stack by the share of the other: half within 12 and 14 %, nine of ten within 17 and 63 %.
/// Source: bigscience-workshop/bigscience @9e64edec, chronicles-prequel.md; pytorch/torchtitan @b5bcd76c,
///         benchmarks and docs/performance.md; recomputed by tests/scenario/memory_published_test.cpp.
inline constexpr double framework_share = 0.25;

}  // namespace netmodels
