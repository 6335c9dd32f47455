// Builds the graph of a node's step and the exchange of models at its end.
#include "sim/engine/site_step.hpp"

#include "kernels/catalogue.hpp"
#include "netmodels/buckets.hpp"
#include "netmodels/node_collectives.hpp"
#include "netmodels/sharded_step.hpp"
#include "sim/engine/compression_cost.hpp"
#include "sim/engine/quantization.hpp"
#include "sim/scenario/execution.hpp"

namespace sim::engine {
namespace {

using netmodels::Bytes;
using netmodels::Collective;
using netmodels::Seconds;
using netmodels::StepGraph;
using netmodels::StepStream;
using netmodels::StepWork;

std::uint32_t group_of(const scenario::Scenario& scenario) {
  return static_cast<std::uint32_t>(scenario.cluster.workers_per_node);
}

StepGraph step_of_nodes(const scenario::Scenario& scenario, std::uint32_t workers,
                        const std::vector<netmodels::BucketExchange>& buckets) {
  if (!scenario::is_sharded(scenario)) {
    const scenario::Execution execution = scenario::execution_of(scenario.exchange, "none", false);
    return netmodels::data_parallel_step(scenario.workload, scenario.training.batch,
                                         {execution.overlap, buckets, {}});
  }
  netmodels::ShardedExchange exchange = scenario::sharded_exchange(scenario, workers);
  exchange.nodes_together = false;
  const DeviceQuantization quantizing(scenario);
  return netmodels::sharded_step(scenario.workload, scenario.training.batch, exchange, &quantizing);
}

/// Adds the exchange of models, operation after operation.
class ModelExchange {
 public:
  ModelExchange(StepGraph& graph, std::uint32_t workers, std::uint32_t group)
      : graph_(graph), workers_(workers), group_(group) {}

  void add_work(StepWork work, std::string_view name, Seconds duration) {
    if (duration > Seconds{})
      add({.work = work, .stream = StepStream::communication, .name = name, .duration = duration});
  }
  void add_collective(std::string_view name, const Collective& row, Bytes size) {
    add({.work = StepWork::collective,
         .stream = StepStream::communication,
         .name = name,
         .row = &row,
         .operation = {.ranks = workers_, .size = size, .group = group_}});
  }

 private:
  void add(netmodels::StepOperation operation) {
    operation.after = {static_cast<std::uint32_t>(graph_.operations.size() - 1)};
    graph_.add(std::move(operation));
  }

  StepGraph& graph_;
  std::uint32_t workers_;
  std::uint32_t group_;
};

void add_models(StepGraph& graph, const scenario::Scenario& scenario, std::uint32_t workers) {
  const std::uint32_t group = group_of(scenario);
  const std::uint32_t nodes = workers / group;
  const policies::CompressionChoice sent{scenario.compression.method, scenario.compression.ratio};
  const std::int64_t fragments = streaming_of(scenario.synchronisation).fragments;
  const std::int64_t values = (scenario.workload.parameters() + fragments - 1) / fragments;
  const std::int64_t share = (values + group - 1) / group;
  const auto stages = (*kernels::find_wire_format(sent.method))
                          ->stages({values, sent.ratio, scenario.compression.index_bytes, false});
  const bool whole = !scenario::is_sharded(scenario);  // each worker needs what the others of its node got
  ModelExchange exchange(graph, workers, group);
  exchange.add_work(StepWork::compress, "compress", compression_time(scenario, sent, share, 1));
  for (const kernels::Stage& stage : stages) {
    const bool sums = stage.kind == netmodels::CollectiveKind::all_reduce;
    const Bytes brought = stage.per_rank * (sums ? 1.0 : static_cast<double>(nodes));
    exchange.add_collective(between_sites_name, sums ? netmodels::node_replicas : netmodels::node_shares,
                            brought);
    if (whole) exchange.add_collective(within_site_name, netmodels::node_gather, brought);
  }
  exchange.add_work(StepWork::restore, "restore",
                    restoring_time(scenario, sent, whole ? values : share, nodes));
}

}  // namespace

std::vector<netmodels::BucketExchange> site_buckets(const scenario::Scenario& scenario,
                                                    std::uint32_t workers) {
  std::vector<netmodels::BucketExchange> buckets;
  const scenario::Execution execution = scenario::execution_of(scenario.exchange, "none", false);
  for (const netmodels::Bucket& bucket :
       netmodels::cut_gradient(scenario.workload.layers, execution.parts, scenario.training.batch)) {
    const netmodels::Operation sum{.ranks = workers, .size = bucket.bytes, .group = group_of(scenario)};
    buckets.push_back({bucket, {{&netmodels::node_scatter, sum}, {&netmodels::node_gather, sum}}});
  }
  return buckets;
}

StepGraph site_step(const scenario::Scenario& scenario, const StepAction& action, std::uint32_t workers,
                    const std::vector<netmodels::BucketExchange>& buckets) {
  StepGraph graph = step_of_nodes(scenario, workers, buckets);
  const bool several = workers > group_of(scenario);  // others may have left
  if (action.traffic == Traffic::parameters && several) add_models(graph, scenario, workers);
  return graph;
}

}  // namespace sim::engine
