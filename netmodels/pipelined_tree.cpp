// Pipelined chains and trees: slots turned into rounds, and slots counted.
#include "netmodels/pipelined_tree.hpp"

#include "netmodels/tree_slots.hpp"

namespace netmodels {
namespace {

/// One round per slot.
Schedule broadcast_on(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                      Bytes chunk) {
  const Timetable timetable = broadcast_timetable(trees);
  std::vector<Round> rounds(timetable.slots(chunks));
  for (const EdgeSlot& edge : timetable.edges) {
    for (std::uint32_t k = 0; k < chunks; ++k) {
      rounds[edge.first + k * timetable.period].push_back({edge.from, edge.to, chunk});
    }
  }
  Schedule schedule{ranks, {}};
  for (Round& round : rounds) schedule.phases.push_back({{std::move(round)}, 1});
  return schedule;
}

Schedule all_reduce_on(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                       Bytes chunk) {
  const Schedule broadcast = broadcast_on(trees, ranks, chunks, chunk);
  return then(mirrored(broadcast), broadcast);
}

Seconds all_reduce_time(const std::vector<Tree>& trees, std::uint32_t ranks, std::uint32_t chunks,
                        Seconds slot) {
  return ranks == 1 ? Seconds{} : 2.0 * broadcast_timetable(trees).slots(chunks) * slot;
}

}  // namespace

Seconds pipelined_broadcast_time(const Operation& operation, const LinkState& link) {
  if (operation.ranks == 1) return {};
  return 1.0 * (operation.ranks - 2 + operation.chunks) * link.time(operation.size / operation.chunks);
}

Schedule pipelined_broadcast(const Operation& operation) {
  return broadcast_on({chain(operation.ranks)}, operation.ranks, operation.chunks,
                      operation.size / operation.chunks);
}

Seconds binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time({complete_binary_tree(operation.ranks)}, operation.ranks, 1,
                         link.time(operation.size));
}

Schedule binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on({complete_binary_tree(operation.ranks)}, operation.ranks, 1, operation.size);
}

Seconds pipelined_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time({complete_binary_tree(operation.ranks)}, operation.ranks, operation.chunks,
                         link.time(operation.size / operation.chunks));
}

Schedule pipelined_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on({complete_binary_tree(operation.ranks)}, operation.ranks, operation.chunks,
                       operation.size / operation.chunks);
}

Seconds double_binary_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return all_reduce_time(two_binary_trees(operation.ranks), operation.ranks, operation.chunks,
                         link.time(operation.size / (2.0 * operation.chunks)));
}

Schedule double_binary_tree_allreduce(const Operation& operation) {
  return all_reduce_on(two_binary_trees(operation.ranks), operation.ranks, operation.chunks,
                       operation.size / (2.0 * operation.chunks));
}

}  // namespace netmodels
