// Cuts a transformer into the shares of devices, and adds up what they exchange.
#include "netmodels/model_parallel.hpp"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "netmodels/layer_kind.hpp"

namespace netmodels {
namespace {

LinearTime scaled(const LinearTime& time, double factor) {
  return {time.fixed * factor, time.per_sample * factor};
}

LinearTime sum(const LinearTime& a, const LinearTime& b) {
  return {a.fixed + b.fixed, a.per_sample + b.per_sample};
}

/// The blocks of the last stage become 1, 2, ...; what lies before them goes.
void keep_last_stage(std::vector<Layer>& layers, std::uint32_t pipeline) {
  const std::uint32_t blocks = layers.back().block - 1;
  const std::uint32_t before = blocks - blocks / pipeline;
  std::int64_t embedding = 0;
  std::int64_t frozen = 0;
  for (const Layer& layer : layers) {
    if (layer.block > 0) continue;
    embedding += layer.parameters;
    frozen += layer.frozen;
  }
  std::erase_if(layers, [&](const Layer& layer) { return layer.block <= before; });
  for (Layer& layer : layers) {
    layer.block -= before;
    if (!find_layer_kind(layer.kind).tied) continue;
    layer.parameters += embedding;
    layer.frozen += frozen;
  }
}

/// Activations that a device keeps where a tensor group shares `all`, but for inputs of norms and products
/// where sequences are whole on each.
Bytes shared_activations(Bytes all, Bytes hidden, const ModelParallel& parallel) {
  constexpr double unshared = 4;  // inputs of two norms, of attention's and of the feed-forward products
  const Bytes whole = parallel.sequence_parallel ? Bytes{} : std::min(all, hidden * unshared);
  return whole + (all - whole) / parallel.tensor;
}

/// Whether each device of a tensor group holds the layer whole.
bool is_whole(const Layer& layer, const ModelParallel& parallel) {
  return !parallel.split_embedding && find_layer_kind(layer.kind).of_vocabulary;
}

/// Number of a layer's `values` that a device of a tensor group holds.
std::int64_t held_values(std::int64_t values, const Layer& layer, const ModelParallel& parallel) {
  return is_whole(layer, parallel) ? values : (values + parallel.tensor - 1) / parallel.tensor;
}

/// Values of the embedding and the first blocks, trained or not, on one device.
std::int64_t first_stage_values(const std::vector<Layer>& layers, const ModelParallel& parallel) {
  const std::uint32_t blocks = (layers.back().block - 1) / parallel.pipeline;
  std::int64_t held = 0;
  for (const Layer& layer : layers)
    held += layer.block <= blocks ? held_values(layer.values(), layer, parallel) : 0;
  return held;
}

/// Micro-batches whose activations the first stage holds at a time.
double micro_batches_kept(const ModelParallel& parallel, std::uint32_t micro_batches) {
  const double stages = parallel.pipeline;
  const double kept = parallel.interleave == 1 ? stages : stages + (stages - 1) / parallel.interleave;
  return std::min<double>(micro_batches, kept);
}

/// @param head  the last layer
BlockMemory memory_of(const BlockMemory& whole, Bytes hidden, const ModelParallel& parallel,
                      const Layer& head, std::uint32_t micro_batches) {
  BlockMemory memory = whole;
  memory.blocks /= parallel.pipeline;
  memory.kept = shared_activations(whole.kept, hidden, parallel);
  memory.working = shared_activations(whole.working, hidden, parallel);
  if (!is_whole(head, parallel)) memory.outside = whole.outside / parallel.tensor;
  const Bytes once = memory.kept * static_cast<double>(memory.blocks);
  const double kept = micro_batches_kept(parallel, micro_batches);
  if (once * kept <= once + memory.outside) return memory;
  memory.kept = memory.kept * kept;
  memory.outside = {};
  return memory;
}

/// All-reduces of each pass that a layer waits for.
struct Reductions {
  double forward = 0;
  double backward = 0;
};

/// @param first  of its block
/// @param tail   what follows the last block, by its last layer
Reductions reductions_of(const Layer& first, const Layer& tail, const ModelParallel& parallel,
                         const TokenWork& sample) {
  if (first.block == 0) return {is_whole(first, parallel) ? 0.0 : 1.0, 0};
  if (first.block == tail.block) return {0, is_whole(tail, parallel) ? 0.0 : 1.0};
  const double inputs = parallel.shared_inputs ? 2 : sample.input_products;
  return {2, inputs + 2 * sample.repeated_exchanges};
}

/// Each block's are added to its first layer. @returns the time of all, by samples of a micro-batch
LinearTime add_reductions(Workload& share, const ModelParallel& parallel, const LinearTime& all_reduce) {
  LinearTime added;
  for (std::size_t i = 0; i < share.layers.size(); ++i) {
    Layer& layer = share.layers[i];
    if (i > 0 && share.layers[i - 1].block == layer.block) continue;
    const Reductions count = reductions_of(layer, share.layers.back(), parallel, *share.token_work);
    layer.forward = sum(layer.forward, scaled(all_reduce, count.forward));
    layer.backward = sum(layer.backward, scaled(all_reduce, count.backward));
    added = sum(added, scaled(all_reduce, count.forward + count.backward));
  }
  return added;
}

}  // namespace

Workload replica_share(Workload whole, const ModelParallel& parallel, const LinearTime& all_reduce,
                       std::uint32_t micro_batches) {
  assert(whole.token_work && whole.memory && !whole.layers.empty() && micro_batches >= 1);
  assert(whole.memory->blocks % (parallel.pipeline * parallel.interleave) == 0);
  const std::int64_t parameters = whole.parameters();
  Workload share = std::move(whole);
  const std::int64_t first = first_stage_values(share.layers, parallel);
  if (parallel.pipeline > 1) keep_last_stage(share.layers, parallel.pipeline);
  const double part = 1.0 / parallel.tensor;
  for (Layer& layer : share.layers) {
    layer.parameters = held_values(layer.parameters, layer, parallel);
    layer.frozen = held_values(layer.frozen, layer, parallel);
    if (is_whole(layer, parallel)) continue;
    layer.forward = scaled(layer.forward, part);
    layer.backward = scaled(layer.backward, part);
  }
  if (parallel.devices() > 1)
    share.memory =
        memory_of(*share.memory, share.token_work->hidden, parallel, share.layers.back(), micro_batches);
  share.optimizer = share.optimizer / parallel.devices();
  share.token_work->peak = share.token_work->peak * parallel.devices();
  share.replica = ReplicaShare{
      .devices = parallel.devices(),
      .parameters = parameters,
      .exchanges = {},
      .bubble = {},
      .first_holds_more =
          parallel.pipeline > 1 ? std::max<std::int64_t>(0, first - share.parameters() - share.frozen()) : 0};
  if (parallel.tensor == 1) return share;
  const LinearTime added = add_reductions(share, parallel, all_reduce);
  share.replica->exchanges = {added.fixed * micro_batches, added.per_sample};
  return share;
}

namespace {

/// Time per step of the transfers to the next stage.
LinearTime transfer_time(const Workload& share, const ModelParallel& parallel, const LinkState& next) {
  const double micro = share.micro_batches;
  const double transfers = 2 * (micro * parallel.interleave + parallel.pipeline - 1);
  const Bytes sent =
      parallel.sequence_parallel ? share.token_work->hidden / parallel.tensor : share.token_work->hidden;
  return {next.latency * transfers, sent / next.bandwidth * (transfers / micro)};
}

}  // namespace

void add_pipeline(Workload& share, const ModelParallel& parallel, const LinkState& next) {
  assert(share.replica && share.token_work);
  if (parallel.pipeline == 1) return;
  const double micro = share.micro_batches;
  const double chunks = parallel.interleave;
  LinearTime passes;
  for (const Layer& layer : share.layers) passes = sum(passes, sum(layer.forward, layer.backward));
  share.replica->bubble = scaled(passes, (parallel.pipeline - 1) / (chunks * micro));
  const LinearTime moved = transfer_time(share, parallel, next);
  share.replica->exchanges = sum(share.replica->exchanges, moved);
  share.host_overhead = sum(share.host_overhead, sum(share.replica->bubble, moved));
}

void change_pipeline_link(Workload& share, const ModelParallel& parallel, const LinkState& before,
                          const LinkState& now) {
  assert(share.replica && share.token_work);
  if (parallel.pipeline == 1) return;
  const LinearTime longer =
      sum(transfer_time(share, parallel, now), scaled(transfer_time(share, parallel, before), -1));
  share.replica->exchanges = sum(share.replica->exchanges, longer);
  share.host_overhead = sum(share.host_overhead, longer);
}

}  // namespace netmodels
