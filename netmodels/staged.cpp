// Exchanges in stages, each in closed form and as a schedule.
#include "netmodels/staged.hpp"

#include "netmodels/binomial_tree.hpp"
#include "netmodels/ring.hpp"

namespace netmodels {

// Everybody's push in one round, everybody's pull in the next.

Seconds parameter_server_allreduce_time(const Operation& operation, const LinkState& link) {
  if (operation.ranks == 1) return {};
  return 2.0 * link.latency + 2.0 * (operation.ranks - 1) * (operation.size / link.bandwidth);
}

Schedule parameter_server_allreduce(const Operation& operation) {
  Schedule schedule{operation.ranks, {}};
  if (operation.ranks == 1) return schedule;
  Round pull;
  for (std::uint32_t rank = 1; rank < operation.ranks; ++rank) pull.push_back({0, rank, operation.size});
  schedule.phases.push_back({{std::move(pull)}, 1});
  return then(mirrored(schedule), schedule);
}

// A broadcast followed by an all-reduce.

Seconds ar_topk_ring_time(const Operation& operation, const LinkState& link) {
  return binomial_broadcast_time(operation, link) + ring_allreduce_time(operation, link);
}

Schedule ar_topk_ring(const Operation& operation) {
  return then(binomial_broadcast(operation), ring_allreduce(operation));
}

Seconds ar_topk_tree_time(const Operation& operation, const LinkState& link) {
  return binomial_broadcast_time(operation, link) + binomial_tree_allreduce_time(operation, link);
}

Schedule ar_topk_tree(const Operation& operation) {
  return then(binomial_broadcast(operation), binomial_tree_allreduce(operation));
}

// Rings inside nodes and rings between nodes.

Seconds hierarchical_allreduce_time(const Operation& operation, const LinkState& link) {
  const std::uint32_t group = operation.group;
  const std::uint32_t nodes = operation.ranks / group;
  return 2.0 * (group - 1) * link.time(operation.size / group) +
         2.0 * (nodes - 1) * link.time(operation.size / operation.ranks);
}

Schedule hierarchical_allreduce(const Operation& operation) {
  const std::uint32_t group = operation.group;
  const std::uint32_t nodes = operation.ranks / group;
  Round inside;
  Round between;
  for (std::uint32_t rank = 0; rank < operation.ranks; ++rank) {
    const std::uint32_t node = rank / group;
    inside.push_back({rank, node * group + (rank + 1) % group, operation.size / group});
    between.push_back({rank, (rank + group) % operation.ranks, operation.size / operation.ranks});
  }
  Schedule schedule{operation.ranks, {}};
  if (group > 1) schedule.phases.push_back({{inside}, group - 1});
  if (nodes > 1) schedule.phases.push_back({{between}, 2 * (nodes - 1)});
  if (group > 1) schedule.phases.push_back({{inside}, group - 1});
  return schedule;
}

}  // namespace netmodels
