// Backward passes cut at buckets, and the exchanges that hang on the pieces.
#include "netmodels/data_parallel_step.hpp"

#include <utility>

namespace netmodels {
namespace {

std::uint32_t add_compute(StepGraph& graph, std::string_view name, Seconds duration,
                          std::vector<std::uint32_t> after = {}) {
  return graph.add({.name = name, .duration = duration, .after = std::move(after)});
}

std::uint32_t add_collective(StepGraph& graph, const BucketStage& stage, std::string_view name,
                             std::uint32_t bucket, std::uint32_t after) {
  return graph.add({.work = StepWork::collective,
                    .stream = StepStream::communication,
                    .name = name,
                    .after = {after},
                    .bucket = bucket,
                    .row = stage.row,
                    .operation = stage.operation});
}

/// Host overhead, the broadcast of the buffers where there is one, and the forward pass; before it the passes
/// of the micro-batches whose gradients are only added up.
/// @returns the forward pass
std::uint32_t add_forward(StepGraph& graph, const Workload& workload, double batch,
                          const std::optional<BucketStage>& buffers) {
  std::vector<std::uint32_t> before;
  const std::uint32_t host = add_compute(graph, "host overhead", workload.host_overhead.at(batch));
  if (buffers) before.push_back(add_collective(graph, *buffers, buffers_name, 0, host));
  const double micro_batches = workload.micro_batches;
  const Seconds forward = workload.forward(batch) / micro_batches;
  for (std::uint32_t added = 1; added < workload.micro_batches; ++added) {
    add_compute(graph, "forward", forward, std::exchange(before, {}));
    add_compute(graph, "backward", workload.backward(batch) / micro_batches);
  }
  return add_compute(graph, "forward", forward, std::move(before));
}

}  // namespace

std::uint32_t add_exchange(StepGraph& graph, const BucketExchange& exchange, std::uint32_t bucket,
                           std::vector<std::uint32_t> ready) {
  const auto add = [&](StepWork work, StepStream stream, std::string_view name, Seconds duration) {
    ready = {graph.add({.work = work,
                        .stream = stream,
                        .name = name,
                        .duration = duration,
                        .after = std::move(ready),
                        .bucket = bucket})};
  };
  const auto communicate = StepStream::communication;
  if (exchange.bucket.delay > Seconds{})
    add(StepWork::delay, StepStream::copy, "delay", exchange.bucket.delay);
  add(StepWork::compress, communicate, "compress", exchange.compress);
  std::uint32_t last = ready.front();
  for (const BucketStage& stage : exchange.stages) last = add_collective(graph, stage, {}, bucket, last);
  if (exchange.restore == Seconds{}) return last;
  ready = {last};
  add(StepWork::restore, communicate, "restore", exchange.restore);
  return ready.front();
}

StepGraph data_parallel_step(const Workload& workload, double batch, const StepExchange& exchange) {
  StepGraph graph;
  const double micro_batches = workload.micro_batches;
  const Seconds backward = workload.backward(batch) / micro_batches;  // backward pass of the last one
  Seconds reached;
  std::uint32_t computed = add_forward(graph, workload, batch, exchange.buffers);  // last of its stream
  const auto compute_until = [&](Seconds until) {
    if (until <= reached) return;
    computed = add_compute(graph, "backward", until - reached);
    reached = until;
  };
  if (!exchange.overlap) compute_until(backward);
  std::vector<std::uint32_t> before_optimizer;
  for (std::uint32_t number = 0; number < exchange.buckets.size(); ++number) {
    const BucketExchange& sent = exchange.buckets[number];
    if (sent.stages.empty()) continue;
    const Seconds ready = ready_time(workload.layers, sent.bucket, batch) / micro_batches;
    compute_until(ready);  // long reached where nothing overlaps
    before_optimizer.push_back(add_exchange(graph, sent, number, {computed}));
  }
  compute_until(backward);
  before_optimizer.push_back(computed);
  add_compute(graph, "optimizer", workload.optimizer, std::move(before_optimizer));
  graph.computing = workload.compute(batch);  // exact, without the roundings of its pieces
  return graph;
}

}  // namespace netmodels
