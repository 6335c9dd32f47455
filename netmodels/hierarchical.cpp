// Rings inside nodes and rings between nodes.
#include "netmodels/hierarchical.hpp"

namespace netmodels {

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
