// Steps of sharded data-parallel training: parameters gathered before use, gradients scattered after it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "netmodels/shard_sending.hpp"
#include "netmodels/sharding.hpp"
#include "netmodels/step_graph.hpp"
#include "netmodels/workload.hpp"

namespace netmodels {

/// Layers that are gathered together: a block, or what lies before the first or after the last one.
struct ShardUnit {
  std::size_t first = 0;        ///< index of its first layer
  std::size_t end = 0;          ///< behind its last one
  std::int64_t parameters = 0;  ///< that are gathered, frozen ones among them
  std::int64_t trained = 0;     ///< that have gradients
};

/// Where the layers outside of blocks are gathered.
enum class ShardGrouping : std::uint8_t {
  outer_units,  ///< those before the blocks as a unit, those behind them as one that stays for the backward
                ///< pass
  root          ///< all of them as one unit, gathered before anything computes, scattered after everything
};

/// The units of a model with numbered blocks, in forward order. A unit without parameters is part of the one
/// before it, the first one of that behind it. @returns one unit for a model without blocks
std::vector<ShardUnit> shard_units(std::span<const Layer> layers);

/// Whether there are layers before the blocks and behind them, which a root unit would hold
/// (`ShardGrouping::root`).
bool has_root_unit(std::span<const Layer> layers);

/// How a step is sharded.
struct ShardedExchange {
  Sharding sharding = fully_sharded().shares;
  std::uint32_t ranks = 1;     ///< workers, at least 1
  std::uint32_t group = 1;     ///< workers of a node, which divides `ranks`
  std::uint32_t prefetch = 1;  ///< units gathered ahead of the one that computes
  ShardGrouping grouping = ShardGrouping::outer_units;
  bool reshard_after_forward = true;   ///< parameters are gathered again for the backward pass
  double parameter_bytes = 2;          ///< of a gathered parameter
  double gradient_bytes = 2;           ///< of a scattered gradient
  bool whole_gradients = false;        ///< several micro-batches add them up whole, and scatter in the last
  bool replicas_in_each = true;        ///< hsdp: nodes sum them in each micro-batch; false: in the last
  bool nodes_together = true;          ///< hsdp: nodes sum their gradients; false: each trains by itself
  const Collective* gather = nullptr;  ///< all-gather of all ranks; null: ring_allgather
  ShardSending sending = {};
};

/// Workers that hold one copy of the states together.
std::uint32_t shards(const ShardedExchange& exchange);

inline constexpr std::string_view gather_name = "all-gather";
inline constexpr std::string_view scatter_name = "reduce-scatter";
inline constexpr std::string_view replicas_name = "all-reduce between nodes";
inline constexpr std::string_view quantize_name = "quantise";
inline constexpr std::string_view exchange_within_name = "all-to-all within nodes";
inline constexpr std::string_view exchange_between_name = "all-to-all between nodes";

/// A step of one worker, unit by unit, in `workload.micro_batches` micro-batches:
///
///   fsdp, hsdp   each micro-batch: all-gather of a unit before its forward pass, again before its backward
///                pass with `reshard_after_forward` (the last unit stays), reduce-scatter after it. The
///                gather of a unit may begin once the unit that computes `prefetch` + 1 before it is done.
///   hsdp         gathers and scatters inside nodes; then an all-reduce of the shards between nodes, in each
///                micro-batch or the last one, where nodes take their steps together
///   zero1        parameters, updated by shards, are gathered unit by unit before the first forward pass,
///                without limit of prefetching; reduce-scatter in the last micro-batch
///   zero2        as zero1, with a reduce-scatter in every micro-batch, because gradients are not kept whole
///
/// The names are of rows of `sharding_kinds`; what counts are the states that they share. With
/// `whole_gradients` every sharding scatters in the last micro-batch alone. With `ShardGrouping::root`
/// the layers outside of blocks are one unit that stays from a micro-batch's begin to its end, and all blocks
/// are gathered again; with `outer_units` the last unit stays for the backward pass, as in torchtitan.
///
/// With `sending` parameters are quantised before a gather, by shares, and restored after it; with second
/// copies the gathers of the backward pass stay inside nodes. In place of a reduce-scatter, gradients are
/// quantised, exchanged all to all inside nodes, added up, quantised again, exchanged all to all between
/// nodes, and added up; where nodes or ranks of a node are one, the other exchange alone.
///
/// One communication stream, as NCCL runs the collectives of one group. The optimizer waits for all
/// gradients, and takes its share of `workload.optimizer`. Collectives are named by the constants above, and
/// `StepOperation::bucket` is the unit.
///
/// @param batch     samples of the worker in a step
/// @param exchange  some states are shared; gradients are not quantised with hsdp
/// @param times     of quantising; null: it takes none
/// Leaves out: the copies in and out of gathered buffers; two communicators at once; that ZeRO++ overlaps the
///             two all-to-alls of a gradient, and what quantising costs computing beside it.
/// Source: Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel", PVLDB 16(12),
///         2023; Rajbhandari et al., "ZeRO", SC 2020; Wang et al., "ZeRO++", 2023.
StepGraph sharded_step(const Workload& workload, double batch, const ShardedExchange& exchange,
                       const QuantizationTimes* times = nullptr);

}  // namespace netmodels
