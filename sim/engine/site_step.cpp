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

StepGraph step_of_nodes(const StepSettings& settings, std::uint32_t workers,
                        const std::vector<netmodels::BucketExchange>& buckets) {
  if (!settings.sharded) {
    const scenario::Execution execution = scenario::execution_of(settings.exchange, {}, false);
    return netmodels::data_parallel_step(settings.workload, settings.training.batch,
                                         {execution.overlap, buckets, {}});
  }
  netmodels::ShardedExchange exchange = settings.sharded_among(workers);
  exchange.nodes_together = false;
  const DeviceQuantization quantizing(settings.costs);
  return netmodels::sharded_step(settings.workload, settings.training.batch, exchange, &quantizing);
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

void add_models(StepGraph& graph, const StepSettings& settings, std::uint32_t workers) {
  const std::uint32_t group = settings.workers_per_node;
  const std::uint32_t nodes = workers / group;
  const policies::CompressionChoice sent = settings.compression.stated();
  const std::int64_t values = settings.fragment_values();
  const std::int64_t share = (values + group - 1) / group;
  const auto stages = sent.method->stages({values, sent.ratio, settings.compression.index_bytes, false});
  const bool whole = !settings.sharded;  // each worker needs what the others of its node got
  ModelExchange exchange(graph, workers, group);
  exchange.add_work(StepWork::compress, "compress", settings.costs.compressing_time(sent, share));
  for (const kernels::Stage& stage : stages) {
    const bool sums = stage.kind == netmodels::CollectiveKind::all_reduce;
    const Bytes brought = stage.per_rank * (sums ? 1.0 : static_cast<double>(nodes));
    exchange.add_collective(between_sites_name, sums ? netmodels::node_replicas : netmodels::node_shares,
                            brought);
    if (whole) exchange.add_collective(within_site_name, netmodels::node_gather, brought);
  }
  exchange.add_work(StepWork::restore, "restore",
                    settings.costs.restoring_time(sent, whole ? values : share, nodes));
}

}  // namespace

std::vector<netmodels::BucketExchange> site_buckets(const StepSettings& settings, std::uint32_t workers) {
  std::vector<netmodels::BucketExchange> buckets;
  const scenario::Execution execution = scenario::execution_of(settings.exchange, {}, false);
  for (const netmodels::Bucket& bucket :
       netmodels::cut_gradient(settings.workload.layers, execution.parts, settings.training.batch)) {
    const netmodels::Operation sum{
        .ranks = workers, .size = bucket.bytes, .group = settings.workers_per_node};
    buckets.push_back({bucket, {{&netmodels::node_sum, sum}}});
  }
  return buckets;
}

StepGraph site_step(const StepSettings& settings, const StepAction& action, std::uint32_t workers,
                    const std::vector<netmodels::BucketExchange>& buckets) {
  StepGraph graph = step_of_nodes(settings, workers, buckets);
  const bool several = workers > settings.workers_per_node;  // others may have left
  if (action.traffic == Traffic::parameters && several) add_models(graph, settings, workers);
  return graph;
}

}  // namespace sim::engine
