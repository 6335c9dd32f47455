// Schedules of one group, repeated for all groups side by side.
#include "netmodels/group_collectives.hpp"

#include <cassert>

#include "netmodels/node_collectives.hpp"
#include "netmodels/pipelined_tree.hpp"
#include "netmodels/ring.hpp"

namespace netmodels {
namespace {

/// The operation of a group as if there were no other ranks.
Operation within_group(const Operation& operation) {
  return {.ranks = operation.members,
          .size = operation.size,
          .group = operation.members,
          .chunks = operation.chunks,
          .shift = operation.shift};
}

Seconds shift_time(const Operation& operation, const LinkState& link) { return link.time(operation.size); }

Schedule shift_schedule(const Operation& operation) {
  Round round;
  for (std::uint32_t rank = 0; rank < operation.ranks; ++rank)
    round.push_back({rank, (rank + operation.shift) % operation.ranks, operation.size});
  return {operation.ranks, {{{std::move(round)}}}};
}

/// Messages of one group as those of all groups: member i of the group that begins at rank f is f + i stride.
Round in_all_groups(const Round& one, const Operation& operation) {
  const std::uint32_t block = operation.group * operation.members;
  Round all;
  for (std::uint32_t first = 0; first < operation.ranks; ++first) {
    if (first % block >= operation.group) continue;
    for (Transfer message : one) {
      message.from = first + message.from * operation.group;
      message.to = first + message.to * operation.group;
      all.push_back(message);
    }
  }
  return all;
}

template <Schedule (*one_group)(const Operation&)>
Schedule in_groups(const Operation& operation) {
  const Schedule one = one_group(within_group(operation));
  assert(one.streams == 1 && operation.ranks % (operation.group * operation.members) == 0);
  Schedule all{operation.ranks, {}};
  for (const Phase& phase : one.phases) {
    Phase& wide = all.phases.emplace_back(Phase{{}, phase.repeat});
    for (const Round& round : phase.rounds) wide.rounds.push_back(in_all_groups(round, operation));
  }
  return all;
}

template <Seconds (*one_group)(const Operation&, const LinkState&)>
Seconds time_in_groups(const Operation& operation, const LinkState& link) {
  return one_group(within_group(operation), link);
}

template <Seconds (*time)(const Operation&, const LinkState&), Schedule (*schedule)(const Operation&)>
constexpr Collective group_row(std::string_view name, std::string_view formula, CollectiveKind kind,
                               SizeMeaning size, std::string_view source = "Patarasuk & Yuan 2009") {
  return {.name = name,
          .summary = "each group of evenly spaced ranks by itself, all groups side by side",
          .formula = formula,
          .source = source,
          .kind = kind,
          .size = size,
          .closed = time_in_groups<time>,
          .schedule = in_groups<schedule>,
          .reach = CollectiveReach::groups};
}

constexpr std::string_view group_ring_formula = "(N-1) (L + M/(N B))";

}  // namespace

constexpr Collective group_all_reduce = group_row<ring_allreduce_time, ring_allreduce>(
    "ring_allreduce in groups", "2(N-1) (L + M/(N B))", CollectiveKind::all_reduce, SizeMeaning::buffer);
constexpr Collective group_all_gather = group_row<ring_allgather_time, ring_allgather>(
    "ring_allgather in groups", group_ring_formula, CollectiveKind::all_gather, SizeMeaning::total);
constexpr Collective group_reduce_scatter = group_row<ring_reduce_scatter_time, ring_reduce_scatter>(
    "ring_reduce_scatter in groups", group_ring_formula, CollectiveKind::reduce_scatter, SizeMeaning::total);
constexpr Collective group_broadcast = group_row<pipelined_broadcast_time, pipelined_broadcast>(
    "pipelined_broadcast in groups", "(N-1) L + (N-2+C) M/(C B)", CollectiveKind::broadcast,
    SizeMeaning::buffer, pairwise_source);
constexpr Collective group_exchange = group_row<node_allgather_time, node_all_to_all>(
    "pairwise all-to-all in groups", group_ring_formula, CollectiveKind::reduce_scatter, SizeMeaning::total,
    pairwise_source);
constexpr Collective group_shift =
    group_row<shift_time, shift_schedule>("shift in groups", "L + M/B", CollectiveKind::broadcast,
                                          SizeMeaning::buffer, "one message of each rank, all at once");

}  // namespace netmodels
