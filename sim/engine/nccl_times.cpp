// NCCL's operations behind the rows of the collectives.
#include "sim/engine/nccl_times.hpp"

#include <algorithm>
#include <map>

namespace sim::engine {

namespace {

using netmodels::CollectiveKind;
namespace nccl = netmodels::nccl;

std::optional<nccl::Operation> operation_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce: return nccl::Operation::all_reduce;
    case CollectiveKind::all_gather: return nccl::Operation::all_gather;
    case CollectiveKind::broadcast: return nccl::Operation::broadcast;
    case CollectiveKind::reduce_scatter: return nccl::Operation::reduce_scatter;
    case CollectiveKind::ar_topk: break;
  }
  return std::nullopt;
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
  return NcclTimes(std::move(*model));
}

bool NcclTimes::runs(const netmodels::Collective& row) { return operation_of(row.kind) && row.in_nccl; }

bool NcclTimes::runs(const netmodels::Collective& row, const netmodels::Operation& operation) {
  return runs(row) && operation.parts.empty();
}

netmodels::Result<nccl::Time> NcclTimes::time(const netmodels::Collective& row,
                                              const netmodels::Operation& operation) const {
  netmodels::Bytes size = operation.size;
  if (row.size == netmodels::SizeMeaning::contribution) size *= operation.ranks;
  return model_.time(*operation_of(row.kind), size);
}

double NcclTimes::error() const {
  const nccl::ErrorClass& known = nccl::error_class(model_.hardware(), model_.group());
  return model_.hardware().measured ? known.measured.p90 : known.alone.p90;
}

}  // namespace sim::engine
