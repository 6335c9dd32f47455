// Exchanges in stages, each in closed form and as a schedule.
#include "netmodels/staged.hpp"

#include "netmodels/binomial_tree.hpp"
#include "netmodels/ring.hpp"

namespace netmodels {

// All workers' pushes in one round, all workers' pulls in the next.

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

}  // namespace netmodels
