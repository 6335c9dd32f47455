// Halving, doubling and folding, as closed forms and as rounds of exchanges.
#include "netmodels/halving_doubling.hpp"

#include <algorithm>

#include "netmodels/power_of_two.hpp"
#include "netmodels/ring.hpp"

namespace netmodels {
namespace {

Phase one_round(Round round) { return {{std::move(round)}, 1}; }

/// All ranks below `ranks` (a power of two) swap `size` with the partner at `distance`.
Round swap_at(std::uint32_t ranks, std::uint32_t distance, Bytes size) {
  Round round;
  round.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) round.push_back({rank, rank ^ distance, size});
  return round;
}

/// Puts the exchange of the first P ranks between handing in and handing back the rest's buffers.
Schedule fold(std::uint32_t ranks, Bytes size, std::vector<Phase> exchange) {
  const std::uint32_t powers = power_of_two_below(ranks);
  Schedule schedule{ranks, {}};
  Round in;
  Round out;
  for (std::uint32_t rank = powers; rank < ranks; ++rank) {
    in.push_back({rank, rank - powers, size});
    out.push_back({rank - powers, rank, size});
  }
  if (!in.empty()) schedule.phases.push_back(one_round(std::move(in)));
  std::ranges::move(exchange, std::back_inserter(schedule.phases));
  if (!out.empty()) schedule.phases.push_back(one_round(std::move(out)));
  return schedule;
}

Seconds fold_time(const Operation& operation, const LinkState& link) {
  return power_of_two_below(operation.ranks) == operation.ranks ? Seconds{} : 2.0 * link.time(operation.size);
}

}  // namespace

Seconds halving_doubling_allreduce_time(const Operation& operation, const LinkState& link) {
  const double powers = power_of_two_below(operation.ranks);
  const double rounds = doublings(power_of_two_below(operation.ranks));
  const Bytes sent = operation.size * ((powers - 1) / powers);
  return 2.0 * (rounds * link.latency + sent / link.bandwidth) + fold_time(operation, link);
}

Schedule halving_doubling_allreduce(const Operation& operation) {
  const std::uint32_t powers = power_of_two_below(operation.ranks);
  std::vector<Phase> exchange;
  Bytes half = operation.size;
  for (std::uint32_t distance = powers / 2; distance >= 1; distance /= 2) {
    half = half / 2;
    exchange.push_back(one_round(swap_at(powers, distance, half)));
  }
  for (std::uint32_t distance = 1; distance < powers; distance *= 2) {
    exchange.push_back(one_round(swap_at(powers, distance, half)));
    half = half * 2;
  }
  return fold(operation.ranks, operation.size, std::move(exchange));
}

Seconds recursive_doubling_allreduce_time(const Operation& operation, const LinkState& link) {
  return 1.0 * doublings(power_of_two_below(operation.ranks)) * link.time(operation.size) +
         fold_time(operation, link);
}

Schedule recursive_doubling_allreduce(const Operation& operation) {
  const std::uint32_t powers = power_of_two_below(operation.ranks);
  std::vector<Phase> exchange;
  for (std::uint32_t distance = 1; distance < powers; distance *= 2) {
    exchange.push_back(one_round(swap_at(powers, distance, operation.size)));
  }
  return fold(operation.ranks, operation.size, std::move(exchange));
}

Seconds recursive_doubling_allgather_time(const Operation& operation, const LinkState& link) {
  const double ranks = operation.ranks;
  return 1.0 * doublings(operation.ranks) * link.latency +
         operation.size * ((ranks - 1) / ranks) / link.bandwidth;
}

Schedule recursive_doubling_allgather(const Operation& operation) {
  const std::uint32_t ranks = operation.ranks;
  const bool pairwise = power_of_two_below(ranks) == ranks;
  Schedule schedule{ranks, {}};
  for (std::uint32_t blocks = 1; blocks < ranks; blocks *= 2) {
    const Bytes size = operation.size / ranks * std::min(blocks, ranks - blocks);
    Round round;
    round.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      round.push_back({rank, pairwise ? rank ^ blocks : (rank + ranks - blocks) % ranks, size});
    }
    schedule.phases.push_back(one_round(std::move(round)));
  }
  return schedule;
}

Seconds neighbour_exchange_allgather_time(const Operation& operation, const LinkState& link) {
  const double ranks = operation.ranks;
  if (operation.ranks % 2 != 0) return ring_allgather_time(operation, link);
  return ranks / 2 * link.latency + operation.size * ((ranks - 1) / ranks) / link.bandwidth;
}

Schedule neighbour_exchange_allgather(const Operation& operation) {
  const std::uint32_t ranks = operation.ranks;
  if (ranks % 2 != 0) return ring_allgather(operation);
  Schedule schedule{ranks, {}};
  const Bytes block = operation.size / ranks;
  for (std::uint32_t turn = 0; turn < ranks / 2; ++turn) {
    Round round;
    round.reserve(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const bool up = rank % 2 == turn % 2;  // sends to the next rank, else to the one before
      round.push_back({rank, (rank + (up ? 1 : ranks - 1)) % ranks, turn == 0 ? block : 2.0 * block});
    }
    schedule.phases.push_back(one_round(std::move(round)));
  }
  return schedule;
}

Seconds recursive_halving_reduce_scatter_time(const Operation& operation, const LinkState& link) {
  const double powers = power_of_two_below(operation.ranks);
  const Seconds halving = 1.0 * doublings(power_of_two_below(operation.ranks)) * link.latency +
                          operation.size * ((powers - 1) / powers) / link.bandwidth;
  if (power_of_two_below(operation.ranks) == operation.ranks) return halving;
  return halving + link.time(operation.size) + link.time(operation.size / operation.ranks);
}

Schedule recursive_halving_reduce_scatter(const Operation& operation) {
  const std::uint32_t powers = power_of_two_below(operation.ranks);
  Schedule schedule{operation.ranks, {}};
  Round in;
  Round out;
  for (std::uint32_t rank = powers; rank < operation.ranks; ++rank) {
    in.push_back({rank, rank - powers, operation.size});
    out.push_back({rank - powers, rank, operation.size / operation.ranks});
  }
  if (!in.empty()) schedule.phases.push_back(one_round(std::move(in)));
  Bytes half = operation.size;
  for (std::uint32_t distance = powers / 2; distance >= 1; distance /= 2) {
    half = half / 2;
    schedule.phases.push_back(one_round(swap_at(powers, distance, half)));
  }
  if (!out.empty()) schedule.phases.push_back(one_round(std::move(out)));
  return schedule;
}

}  // namespace netmodels
