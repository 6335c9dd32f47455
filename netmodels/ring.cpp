// Ring collectives as closed forms and as one repeated round.
#include "netmodels/ring.hpp"

#include <algorithm>
#include <numeric>

namespace netmodels {
namespace {

/// Each rank passes on what it has received: it waits for that and for its own earlier sends alone.
Schedule passing_on(std::uint32_t ranks, Bytes chunk, std::uint32_t times) {
  Schedule schedule{ranks, {}};
  if (ranks == 1 || times == 0) return schedule;
  Round round;
  round.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    round.push_back({rank, (rank + 1) % ranks, chunk, {}, true});
  schedule.phases.push_back({{std::move(round)}, times});
  return schedule;
}

/// The contribution of each rank: `parts` as given, or equal shares of the total.
std::vector<Bytes> contributions(const Operation& operation) {
  if (!operation.parts.empty()) return operation.parts;
  return std::vector<Bytes>(operation.ranks, operation.size / operation.ranks);
}

}  // namespace

Seconds ring_allreduce_time(const Operation& operation, const LinkState& link) {
  return 2.0 * (operation.ranks - 1) * link.time(operation.size / operation.ranks);
}

Schedule ring_allreduce(const Operation& operation) {
  return passing_on(operation.ranks, operation.size / operation.ranks, 2 * (operation.ranks - 1));
}

Seconds ring_allgather_time(const Operation& operation, const LinkState& link) {
  return 1.0 * (operation.ranks - 1) * link.time(operation.size / operation.ranks);
}

Schedule ring_allgather(const Operation& operation) {
  return passing_on(operation.ranks, operation.size / operation.ranks, operation.ranks - 1);
}

Seconds ring_reduce_scatter_time(const Operation& operation, const LinkState& link) {
  return ring_allgather_time(operation, link);
}

Schedule ring_reduce_scatter(const Operation& operation) { return ring_allgather(operation); }

Seconds pairwise_reduce_scatter_time(const Operation& operation, const LinkState& link) {
  return ring_reduce_scatter_time(operation, link);
}

Schedule pairwise_reduce_scatter(const Operation& operation) {
  const std::uint32_t ranks = operation.ranks;
  Schedule schedule{ranks, {}};
  for (std::uint32_t distance = 1; distance < ranks; ++distance) {
    Round round;
    round.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      round.push_back({rank, (rank + distance) % ranks, operation.size / ranks});
    schedule.phases.push_back({{std::move(round)}, 1});
  }
  return schedule;
}

Seconds ring_allgatherv_time(const Operation& operation, const LinkState& link) {
  const std::vector<Bytes> parts = contributions(operation);
  return 1.0 * (operation.ranks - 1) * link.time(*std::ranges::max_element(parts));
}

Schedule ring_allgatherv(const Operation& operation) {
  const std::vector<Bytes> parts = contributions(operation);
  const std::uint32_t ranks = operation.ranks;
  if (std::ranges::all_of(parts, [&](Bytes part) { return part == parts.front(); })) {
    return passing_on(ranks, parts.front(), ranks - 1);
  }
  Schedule schedule{ranks, {}};
  for (std::uint32_t hop = 0; hop + 1 < ranks; ++hop) {
    Round round;
    round.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      round.push_back({rank, (rank + 1) % ranks, parts[(rank + ranks - hop) % ranks], {}, true});
    }
    schedule.phases.push_back({{std::move(round)}, 1});
  }
  return schedule;
}

}  // namespace netmodels
