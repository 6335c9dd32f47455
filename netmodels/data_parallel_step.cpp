// Backward passes cut at buckets, and the exchanges that hang on the pieces.
#include "netmodels/data_parallel_step.hpp"

#include <utility>

namespace netmodels {
namespace {

std::uint32_t add_compute(StepGraph& graph, std::string_view name, Seconds duration,
                          std::vector<std::uint32_t> after = {}) {
  return graph.add({.name = name, .duration = duration, .after = std::move(after)});
}

/// @returns the last operation of the exchange
std::uint32_t add_exchange(StepGraph& graph, const BucketExchange& exchange, std::uint32_t bucket,
                           std::uint32_t ready) {
  const auto add = [&](StepWork work, std::string_view name, Seconds duration, std::uint32_t after) {
    return graph.add({.work = work,
                      .stream = StepStream::communication,
                      .name = name,
                      .duration = duration,
                      .after = {after},
                      .bucket = bucket});
  };
  std::uint32_t last = add(StepWork::compress, "compress", exchange.compress, ready);
  if (exchange.restore > Seconds{}) last = add(StepWork::restore, "restore", exchange.restore, last);
  for (const BucketStage& stage : exchange.stages) {
    last = graph.add({.work = StepWork::collective,
                      .stream = StepStream::communication,
                      .name = {},
                      .after = {last},
                      .bucket = bucket,
                      .row = stage.row,
                      .operation = stage.operation});
  }
  return last;
}

}  // namespace

StepGraph data_parallel_step(const Workload& workload, double batch, bool overlap,
                             std::span<const BucketExchange> buckets) {
  StepGraph graph;
  add_compute(graph, "host overhead", workload.host_overhead.at(batch));
  add_compute(graph, "forward", workload.forward(batch));
  const Seconds backward = workload.backward(batch);
  Seconds reached;
  std::uint32_t computed = 1;  // the last operation of the compute stream
  const auto compute_until = [&](Seconds until) {
    if (until <= reached) return;
    computed = add_compute(graph, "backward", until - reached);
    reached = until;
  };
  if (!overlap) compute_until(backward);
  std::vector<std::uint32_t> before_optimizer;
  for (std::uint32_t number = 0; number < buckets.size(); ++number) {
    const BucketExchange& exchange = buckets[number];
    if (exchange.stages.empty()) continue;
    compute_until(ready_time(workload.layers, exchange.bucket, batch));  // without overlap it is long reached
    before_optimizer.push_back(add_exchange(graph, exchange, number, computed));
  }
  compute_until(backward);
  before_optimizer.push_back(computed);
  add_compute(graph, "optimizer", workload.optimizer, std::move(before_optimizer));
  graph.computing = workload.compute(batch);  // without the roundings of its pieces
  return graph;
}

}  // namespace netmodels
