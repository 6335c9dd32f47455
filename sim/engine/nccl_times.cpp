// NCCL's operations behind the rows of the collectives.
#include "sim/engine/nccl_times.hpp"

#include <algorithm>
#include <map>

#include "netmodels/nccl/network_goodput.hpp"

namespace sim::engine {

namespace {

using netmodels::CollectiveKind;
namespace nccl = netmodels::nccl;

std::optional<nccl::Operation> nccl_operation(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return nccl::Operation::all_reduce;
    case CollectiveKind::all_gather: return nccl::Operation::all_gather;
    case CollectiveKind::broadcast: return nccl::Operation::broadcast;
    case CollectiveKind::reduce_scatter: return nccl::Operation::reduce_scatter;
    case CollectiveKind::reduce: return nccl::Operation::reduce;
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::ar_topk: break;
  }
  return std::nullopt;
}

/// Nothing for one rank and for what the hardware has no room for.
std::optional<nccl::Model> model_for(const nccl::Hardware& hardware, const nccl::Group& group) {
  if (group.ranks == 1) return std::nullopt;
  auto model = nccl::Model::make(hardware, group);
  if (!model) return std::nullopt;
  return std::move(*model);
}

/// One rank exchanges nothing; a larger group that the hardware has no room for is an error, not 0 s.
netmodels::Result<nccl::Time> time_of(const std::optional<nccl::Model>& model, std::uint32_t ranks,
                                      nccl::Operation operation, netmodels::Bytes size) {
  if (model) return model->time(operation, size);
  if (ranks == 1) return nccl::Time{};
  return netmodels::refuse("", "`cluster.nccl` cannot run groups within nodes or between them",
                           "write another `network`, such as path");
}

/// Points were measured on other groups.
nccl::Hardware without_points(nccl::Hardware hardware) {
  hardware.measured.reset();
  return hardware;
}

/// What one of a node's workers has while all of them exchange with other nodes.
nccl::Hardware one_worker_each(const nccl::Hardware& hardware, std::uint32_t per_node) {
  nccl::Hardware one = without_points(hardware);
  one.gpu.per_node = one.gpu.per_process = one.gpu.ranks_per_gpu = 1;
  one.nvlink = {};
  one.pcie.gpus_per_uplink = 1;
  if (!one.network) return one;
  const auto sharing = static_cast<int>(per_node);
  one.network->measured_rate = nccl::interface_goodput(*one.network, one.gpu.per_node);
  const double share = std::min(1.0, static_cast<double>(one.network->nics_per_node) / sharing);
  one.network->nics_per_node = std::max(1, one.network->nics_per_node / sharing);
  one.network->rate *= share;
  *one.network->measured_rate *= share;
  return one;
}

}  // namespace

std::optional<NcclTimes> NcclTimes::make(const nccl::Hardware& hardware,
                                         std::span<const std::uint32_t> workers,
                                         std::uint32_t workers_per_node) {
  std::map<std::uint32_t, std::uint32_t> nodes;
  for (const std::uint32_t worker : workers) ++nodes[worker / workers_per_node];
  if (nodes.empty()) return std::nullopt;
  const std::uint32_t per_node = nodes.begin()->second;
  if (std::ranges::any_of(nodes, [&](const auto& node) { return node.second != per_node; }))
    return std::nullopt;
  auto model = nccl::Model::make(hardware, {.ranks = static_cast<std::uint32_t>(workers.size()),
                                            .nodes = static_cast<std::uint32_t>(nodes.size())});
  if (!model) return std::nullopt;
  NcclTimes times(std::move(*model));
  const auto node_count = static_cast<std::uint32_t>(nodes.size());
  times.within_node_ = model_for(without_points(hardware), {.ranks = per_node, .nodes = 1});
  times.between_nodes_ =
      model_for(one_worker_each(hardware, per_node), {.ranks = node_count, .nodes = node_count});
  return times;
}

bool NcclTimes::runs(const netmodels::Collective& row) { return nccl_operation(row.kind) && row.in_nccl; }

bool NcclTimes::runs(const netmodels::Collective& row, const netmodels::Operation& operation) {
  return runs(row) && operation.parts.empty();
}

netmodels::Result<nccl::Time> NcclTimes::time(const netmodels::Collective& row,
                                              const netmodels::Operation& operation) const {
  using enum netmodels::CollectiveReach;
  netmodels::Bytes size = operation.size;
  if (row.size == netmodels::SizeMeaning::contribution) size *= operation.ranks;
  const nccl::Operation run = operation_of(row);
  if (row.reach == within_node) return time_of(within_node_, operation.group, run, size);
  if (row.reach == between_nodes)
    return time_of(between_nodes_, operation.ranks / operation.group, run, size / operation.group);
  return model_.time(run, size);
}

const nccl::Model* NcclTimes::model_of(const netmodels::Collective& row) const {
  using enum netmodels::CollectiveReach;
  const auto pointer = [](const std::optional<nccl::Model>& model) { return model ? &*model : nullptr; };
  if (row.reach == within_node) return pointer(within_node_);
  return row.reach == between_nodes ? pointer(between_nodes_) : &model_;
}

nccl::Operation NcclTimes::operation_of(const netmodels::Collective& row) {
  return *nccl_operation(row.kind);
}

double NcclTimes::error() const {
  const nccl::ErrorClass& known = nccl::error_class(model_.hardware(), model_.group());
  const auto& measured = model_.hardware().measured;
  return measured && measured->points.size() > 1 ? known.measured.p90 : known.alone.p90;
}

}  // namespace sim::engine
