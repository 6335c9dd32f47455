// Two-level collectives put together from stages inside nodes and between them.
#include "netmodels/two_level.hpp"

#include <algorithm>
#include <utility>

#include "netmodels/binomial_tree.hpp"
#include "netmodels/power_of_two.hpp"

namespace netmodels {
namespace {

struct Levels {
  std::uint32_t ranks;  ///< N
  std::uint32_t group;  ///< g
  std::uint32_t nodes;  ///< n
};

Levels levels_of(const Operation& operation) {
  return {operation.ranks, operation.group, operation.ranks / operation.group};
}

void repeat(Schedule& schedule, Round round, std::uint32_t times) {
  if (times > 0) schedule.phases.push_back({{std::move(round)}, times});
}

/// Every rank passes a block on to the next rank of its node.
Round ring_inside(const Levels& levels, Bytes block) {
  Round round;
  for (std::uint32_t rank = 0; rank < levels.ranks; ++rank) {
    const std::uint32_t first = rank / levels.group * levels.group;
    round.push_back({rank, first + (rank + 1) % levels.group, block});
  }
  return round;
}

/// Every `stride`-th rank passes a block on to the rank of its index on the next node.
Round ring_between(const Levels& levels, Bytes block, std::uint32_t stride) {
  Round round;
  for (std::uint32_t rank = 0; rank < levels.ranks; rank += stride)
    round.push_back({rank, (rank + levels.group) % levels.ranks, block});
  return round;
}

/// A schedule of `copies` sets of ranks side by side: rank r of set c is `c * offset + r * stride`.
Schedule side_by_side(const Schedule& one, const Levels& levels, std::uint32_t copies, std::uint32_t offset,
                      std::uint32_t stride) {
  Schedule all{levels.ranks, {}};
  for (const Phase& phase : one.phases) {
    Phase wide{{}, phase.repeat};
    for (const Round& round : phase.rounds) {
      Round& messages = wide.rounds.emplace_back();
      for (std::uint32_t copy = 0; copy < copies; ++copy) {
        for (const Transfer& message : round) {
          messages.push_back(
              {copy * offset + message.from * stride, copy * offset + message.to * stride, message.size});
        }
      }
    }
    all.phases.push_back(std::move(wide));
  }
  return all;
}

Schedule broadcast_inside(const Levels& levels, Bytes size) {
  return side_by_side(binomial_broadcast({levels.group, size}), levels, levels.nodes, levels.group, 1);
}

/// Binomial gather at rank 0 of blocks of equal size: the broadcast backwards, with what each subtree holds.
Schedule binomial_gather(std::uint32_t ranks, Bytes block) {
  Schedule scatter{ranks, {}};
  for (std::uint32_t distance = (1U << doublings(ranks)) / 2; distance > 0; distance /= 2) {
    Round round;
    for (std::uint32_t rank = 0; rank + distance < ranks; rank += 2 * distance)
      round.push_back({rank, rank + distance, block * std::min(distance, ranks - rank - distance)});
    scatter.phases.push_back({{std::move(round)}, 1});
  }
  return mirrored(scatter);
}

}  // namespace

Seconds hierarchical_allreduce_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return 2.0 * (levels.group - 1) * link.time(operation.size / levels.group) +
         2.0 * (levels.nodes - 1) * link.time(operation.size / levels.ranks);
}

Schedule hierarchical_allreduce(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_inside(levels, operation.size / levels.group), levels.group - 1);
  repeat(schedule, ring_between(levels, operation.size / levels.ranks, 1), 2 * (levels.nodes - 1));
  repeat(schedule, ring_inside(levels, operation.size / levels.group), levels.group - 1);
  return schedule;
}

Seconds hierarchical_allgather_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return 1.0 * (levels.nodes - 1) * link.time(operation.size / levels.ranks) +
         1.0 * (levels.group - 1) * link.time(operation.size / levels.group);
}

Schedule hierarchical_allgather(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_between(levels, operation.size / levels.ranks, 1), levels.nodes - 1);
  repeat(schedule, ring_inside(levels, operation.size / levels.group), levels.group - 1);
  return schedule;
}

Seconds leader_allgather_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  const double rounds = doublings(levels.group);
  const Bytes contribution = operation.size / levels.ranks;
  return rounds * link.latency + (levels.group - 1.0) * (contribution / link.bandwidth) +
         (levels.nodes - 1.0) * link.time(operation.size / levels.nodes) + rounds * link.time(operation.size);
}

Schedule leader_allgather(const Operation& operation) {
  const Levels levels = levels_of(operation);
  const Schedule gather = binomial_gather(levels.group, operation.size / levels.ranks);
  Schedule schedule = side_by_side(gather, levels, levels.nodes, levels.group, 1);
  repeat(schedule, ring_between(levels, operation.size / levels.nodes, levels.group), levels.nodes - 1);
  return then(std::move(schedule), broadcast_inside(levels, operation.size));
}

Seconds hierarchical_broadcast_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return 1.0 * (doublings(levels.nodes) + doublings(levels.group)) * link.time(operation.size);
}

Schedule hierarchical_broadcast(const Operation& operation) {
  const Levels levels = levels_of(operation);
  const Schedule leaders = binomial_broadcast({levels.nodes, operation.size});
  return then(side_by_side(leaders, levels, 1, 0, levels.group), broadcast_inside(levels, operation.size));
}

Seconds ar_topk_hierarchical_time(const Operation& operation, const LinkState& link) {
  return hierarchical_broadcast_time(operation, link) + hierarchical_allreduce_time(operation, link);
}

Schedule ar_topk_hierarchical(const Operation& operation) {
  return then(hierarchical_broadcast(operation), hierarchical_allreduce(operation));
}

Seconds node_allgather_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return (levels.group - 1.0) * link.time(operation.size / levels.group);
}

Schedule node_allgather(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_inside(levels, operation.size / levels.group), levels.group - 1);
  return schedule;
}

Seconds node_allreduce_time(const Operation& operation, const LinkState& link) {
  return 2.0 * node_allgather_time(operation, link);
}

Schedule node_allreduce(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_inside(levels, operation.size / levels.group), 2 * (levels.group - 1));
  return schedule;
}

Seconds between_nodes_allreduce_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return 2.0 * (levels.nodes - 1) * link.time(operation.size / levels.ranks);
}

Schedule between_nodes_allreduce(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_between(levels, operation.size / levels.ranks, 1), 2 * (levels.nodes - 1));
  return schedule;
}

Seconds between_nodes_allgather_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return 1.0 * (levels.nodes - 1) * link.time(operation.size / levels.ranks);
}

Schedule between_nodes_allgather(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  repeat(schedule, ring_between(levels, operation.size / levels.ranks, 1), levels.nodes - 1);
  return schedule;
}

Schedule node_all_to_all(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  for (std::uint32_t distance = 1; distance < levels.group; ++distance) {
    Round round;
    for (std::uint32_t rank = 0; rank < levels.ranks; ++rank) {
      const std::uint32_t first = rank / levels.group * levels.group;
      round.push_back(
          {rank, first + (rank - first + distance) % levels.group, operation.size / levels.group});
    }
    repeat(schedule, std::move(round), 1);
  }
  return schedule;
}

Seconds between_nodes_all_to_all_time(const Operation& operation, const LinkState& link) {
  const Levels levels = levels_of(operation);
  return (levels.nodes - 1.0) * link.time(operation.size / levels.ranks);
}

Schedule between_nodes_all_to_all(const Operation& operation) {
  const Levels levels = levels_of(operation);
  Schedule schedule{levels.ranks, {}};
  for (std::uint32_t distance = 1; distance < levels.nodes; ++distance) {
    Round round;
    for (std::uint32_t rank = 0; rank < levels.ranks; ++rank)
      round.push_back({rank, (rank + distance * levels.group) % levels.ranks, operation.size / levels.ranks});
    repeat(schedule, std::move(round), 1);
  }
  return schedule;
}

}  // namespace netmodels
