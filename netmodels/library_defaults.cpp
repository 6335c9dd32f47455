// Decision tables of libraries, and the algorithms that they name.
#include "netmodels/library_defaults.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include "netmodels/halving_doubling.hpp"
#include "netmodels/pipelined_tree.hpp"
#include "netmodels/power_of_two.hpp"
#include "netmodels/ring.hpp"
#include "netmodels/rooted.hpp"
#include "netmodels/send_tree.hpp"

namespace netmodels {
namespace {

/// An algorithm: closed form and schedule.
struct Algorithm {
  Seconds (*time)(const Operation&, const LinkState&);
  Schedule (*schedule)(const Operation&);
};

/// The algorithm below a number of ranks and a size in bytes; the first rule that fits decides.
struct Rule {
  std::uint32_t ranks_below;
  double size_below;
  const Algorithm* algorithm;
};

constexpr std::uint32_t any_ranks = most_ranks + 1;
constexpr double any_size = std::numeric_limits<double>::infinity();
constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

const Algorithm& chosen(std::span<const Rule> rules, const Operation& operation) {
  const auto rule = std::ranges::find_if(rules, [&](const Rule& each) {
    return operation.ranks < each.ranks_below && operation.size.count < each.size_below;
  });
  assert(rule != rules.end());
  return *rule->algorithm;
}

template <SendTree (*tree)(std::uint32_t, Bytes)>
constexpr Algorithm down_tree{
    [](const Operation& o, const LinkState& link) { return time_of(tree(o.ranks, o.size), link); },
    [](const Operation& o) { return schedule_of(tree(o.ranks, o.size)); }};

/// Open MPI's default radix.
SendTree quaternomial_tree(std::uint32_t ranks, Bytes size) { return knomial_tree(ranks, size, 4); }

Operation in_chunks(Operation operation, std::uint32_t chunks) {
  operation.chunks = chunks;
  return operation;
}

/// The ranks' parts, gathered after a scatter down a binomial tree of blocking sends. Every rank takes part
/// in every round of the all-gather, so that the last rank of the scatter decides.
template <auto gather_time, auto gather>
constexpr Algorithm after_scatter{
    [](const Operation& o, const LinkState& link) {
      return time_of(halving_tree(o.ranks, o.size, true), link) + gather_time(o, link);
    },
    [](const Operation& o) { return then(schedule_of(halving_tree(o.ranks, o.size, true)), gather(o)); }};

constexpr const Algorithm* linear = &down_tree<linear_tree>;
constexpr const Algorithm* binary = &down_tree<binary_tree>;
constexpr const Algorithm* binomial = &down_tree<doubling_tree>;
constexpr const Algorithm* knomial = &down_tree<quaternomial_tree>;
constexpr Algorithm chain_algorithm{
    [](const Operation& o, const LinkState& link) { return pipelined_broadcast_time(in_chunks(o, 1), link); },
    [](const Operation& o) { return pipelined_broadcast(in_chunks(o, 1)); }};
constexpr const Algorithm* one_chain = &chain_algorithm;
constexpr const Algorithm* scatter_doubling =
    &after_scatter<recursive_doubling_allgather_time, recursive_doubling_allgather>;
constexpr const Algorithm* scatter_ring = &after_scatter<ring_allgather_time, ring_allgather>;
constexpr Algorithm blocking_algorithm{binomial_broadcast_buffered_time, binomial_broadcast_buffered};

constexpr Rule openmpi_broadcast_rules[] = {
    {4, 32, one_chain},
    {4, 256, binary},
    {4, 512, one_chain},
    {4, 1 * kib, knomial},
    {4, 32 * kib, linear},
    {4, 128 * kib, binary},
    {4, 256 * kib, one_chain},
    {4, 512 * kib, linear},
    {4, 1 * mib, binomial},
    {4, any_size, binary},
    {8, 64, binary},
    {8, 128, binomial},
    {8, 2 * kib, binary},
    {8, 8 * kib, binomial},
    {8, 1 * mib, linear},
    {8, any_size, one_chain},
    {16, 8, knomial},
    {16, 64, binary},
    {16, 4 * kib, knomial},
    {16, 16 * kib, binary},
    {16, 32 * kib, binomial},
    {16, any_size, linear},
    {32, 4 * kib, knomial},
    {32, 1 * mib, binomial},
    {32, any_size, scatter_doubling},
    {64, 2 * kib, binomial},
    {128, any_size, knomial},
    {256, 2, binomial},
    {256, 16 * kib, binary},
    {256, 32 * kib, linear},
    {256, 64 * kib, binary},
    {256, any_size, knomial},
    {1024, 16 * kib, knomial},
    {1024, 32 * kib, binary},
    {1024, any_size, knomial},
    {2048, 512 * kib, knomial},
    {2048, any_size, scatter_doubling},
    {4096, 256 * kib, knomial},
    {4096, any_size, scatter_doubling},
    {any_ranks, 8 * kib, knomial},
    {any_ranks, 16 * kib, binary},
    {any_ranks, 256 * kib, knomial},
    {any_ranks, any_size, scatter_doubling},
};

constexpr Algorithm binomial_up_algorithm{binomial_reduce_time, binomial_reduce};
constexpr Algorithm linear_up_algorithm{linear_reduce_time, linear_reduce};
constexpr Algorithm chain_up_algorithm{
    chain_algorithm.time, [](const Operation& o) { return mirrored(chain_algorithm.schedule(o)); }};
constexpr const Algorithm* binomial_up = &binomial_up_algorithm;
constexpr const Algorithm* linear_up = &linear_up_algorithm;
constexpr const Algorithm* chain_up = &chain_up_algorithm;

constexpr Rule openmpi_reduce_rules[] = {
    {4, 32, binomial_up},      {4, 256 * kib, linear_up},
    {4, any_size, chain_up},   {8, 4 * kib, binomial_up},
    {8, 64 * kib, chain_up},   {8, 256 * kib, binomial_up},
    {8, 512 * kib, linear_up}, {8, 1 * mib, binomial_up},
    {8, any_size, linear_up},  {any_ranks, any_size, binomial_up},
};

constexpr Algorithm doubling_algorithm{recursive_doubling_allreduce_time, recursive_doubling_allreduce};
constexpr Algorithm ring_algorithm{ring_allreduce_time, ring_allreduce};
constexpr Algorithm rabenseifner_algorithm{halving_doubling_allreduce_time, halving_doubling_allreduce};
constexpr Algorithm nonoverlapping_algorithm{openmpi_reduce_broadcast_time, openmpi_reduce_broadcast};
constexpr const Algorithm* doubling = &doubling_algorithm;
constexpr const Algorithm* around_ring = &ring_algorithm;
constexpr const Algorithm* rabenseifner = &rabenseifner_algorithm;
constexpr const Algorithm* nonoverlapping = &nonoverlapping_algorithm;

constexpr Rule openmpi_allreduce_rules[] = {
    {4, 8, around_ring},
    {4, 4 * kib, doubling},
    {4, 8 * kib, around_ring},
    {4, 16 * kib, doubling},
    {4, 256 * kib, around_ring},
    {8, 16, around_ring},
    {16, 8 * kib, doubling},
    {16, any_size, rabenseifner},
    {32, 64, around_ring},
    {32, 4 * kib, doubling},
    {64, 128, around_ring},
    {64, any_size, rabenseifner},
    {128, 256 * kib, doubling},
    {128, any_size, rabenseifner},
    {256, 128 * kib, nonoverlapping},
    {256, 256 * kib, doubling},
    {512, 4 * kib, nonoverlapping},
    {512, any_size, rabenseifner},
    {any_ranks, 2 * kib, nonoverlapping},
    {2048, 16 * kib, doubling},
    {2048, any_size, rabenseifner},
    {4096, 4 * kib, around_ring},
    {4096, 16 * kib, doubling},
    {4096, any_size, rabenseifner},
    {any_ranks, 16 * kib, around_ring},
    {any_ranks, 32 * kib, doubling},
    {any_ranks, any_size, rabenseifner},
};

constexpr Algorithm doubling_gather_algorithm{recursive_doubling_allgather_time,
                                              recursive_doubling_allgather};
constexpr Algorithm neighbour_algorithm{neighbour_exchange_allgather_time, neighbour_exchange_allgather};
constexpr Algorithm ring_gather_algorithm{ring_allgather_time, ring_allgather};
constexpr const Algorithm* doubling_gather = &doubling_gather_algorithm;
constexpr const Algorithm* neighbours = &neighbour_algorithm;
constexpr const Algorithm* ring_gather = &ring_gather_algorithm;

/// Rules by the contribution of one rank.
constexpr Rule openmpi_allgather_rules[] = {
    {32, any_size, doubling_gather},    {64, 1 * kib, doubling_gather},    {64, 64 * kib, neighbours},
    {64, any_size, ring_gather},        {any_ranks, 512, doubling_gather}, {any_ranks, 64 * kib, neighbours},
    {any_ranks, any_size, ring_gather},
};

constexpr Algorithm halving_algorithm{recursive_halving_reduce_scatter_time,
                                      recursive_halving_reduce_scatter};
constexpr Algorithm ring_scatter_algorithm{ring_reduce_scatter_time, ring_reduce_scatter};
constexpr Algorithm pairwise_algorithm{pairwise_reduce_scatter_time, pairwise_reduce_scatter};
constexpr const Algorithm* halving = &halving_algorithm;
constexpr const Algorithm* ring_scatter = &ring_scatter_algorithm;

constexpr Rule openmpi_reduce_scatter_rules[] = {
    {4, 64 * kib, ring_scatter},         {4, 128 * kib, halving},
    {4, any_size, ring_scatter},         {32, 256 * kib, halving},
    {32, any_size, ring_scatter},        {any_ranks, 512 * kib, halving},
    {any_ranks, any_size, ring_scatter},
};

constexpr Algorithm binomial_gather_algorithm{binomial_gather_time, binomial_gather};
constexpr Algorithm linear_gather_algorithm{linear_gather_time, linear_gather};
constexpr const Algorithm* tree_gather = &binomial_gather_algorithm;
constexpr const Algorithm* straight_gather = &linear_gather_algorithm;

/// Rules by the share of one rank.
constexpr Rule openmpi_gather_rules[] = {
    {4, 4, straight_gather},
    {4, 32 * kib, tree_gather},
    {4, 64 * kib, straight_gather},
    {4, 128 * kib, tree_gather},
    {4, any_size, straight_gather},
    {8, 1 * kib, tree_gather},
    {8, 8 * kib, straight_gather},
    {8, 32 * kib, tree_gather},
    {8, any_size, straight_gather},
    {256, any_size, tree_gather},
    {512, 2 * kib, tree_gather},
    {512, 8 * kib, straight_gather},
    {any_ranks, any_size, tree_gather},
};

constexpr Algorithm binomial_scatter_algorithm{binomial_scatter_time, binomial_scatter};
constexpr Algorithm linear_scatter_algorithm{linear_scatter_time, linear_scatter};
constexpr const Algorithm* tree_scatter = &binomial_scatter_algorithm;
constexpr const Algorithm* straight_scatter = &linear_scatter_algorithm;

/// Rules by the share of one rank.
constexpr Rule openmpi_scatter_rules[] = {
    {4, any_size, straight_scatter},         {8, 2 * kib, tree_scatter},
    {8, 4 * kib, straight_scatter},          {8, 8 * kib, tree_scatter},
    {8, any_size, straight_scatter},         {32, 16 * kib, tree_scatter},
    {32, any_size, straight_scatter},        {64, 512, tree_scatter},
    {64, 8 * kib, straight_scatter},         {64, 16 * kib, tree_scatter},
    {64, any_size, straight_scatter},        {any_ranks, 512, tree_scatter},
    {any_ranks, any_size, straight_scatter},
};

const Algorithm& chosen_by_share(std::span<const Rule> rules, Operation operation) {
  operation.size = operation.size / operation.ranks;
  return chosen(rules, operation);
}

/// Whether a buffer is too small to be halved among the ranks: up to `bytes`, or with fewer values of 4 bytes
/// than the largest power of two of ranks.
bool too_small_to_halve(const Operation& operation, double bytes) {
  return operation.size.count <= bytes || operation.size.count / 4 < power_of_two_below(operation.ranks);
}

const Algorithm& mpich_reduce_scatter_algorithm(const Operation& operation) {
  return operation.size.count < 512 * kib ? halving_algorithm : pairwise_algorithm;
}

const Algorithm& mpich_broadcast_algorithm(const Operation& operation) {
  if (operation.ranks < 8 || operation.size.count <= 12288) return blocking_algorithm;
  const bool doubles = std::has_single_bit(operation.ranks) && operation.size.count <= 512 * kib;
  return doubles ? *scatter_doubling : *scatter_ring;
}

const Algorithm& mpich_allreduce_algorithm(const Operation& operation) {
  return too_small_to_halve(operation, 8) ? *doubling : *rabenseifner;
}

bool mpich_gathers_by_doubling(const Operation& operation) {
  return operation.size.count < (std::has_single_bit(operation.ranks) ? 512 : 80) * kib;
}

Operation in_nccl_slots(const Operation& operation) {
  constexpr Bytes slot{524288};
  const double slots = std::ceil(operation.size / slot);
  return in_chunks(operation, static_cast<std::uint32_t>(std::clamp<double>(slots, 1, most_ranks)));
}

}  // namespace

std::vector<const Collective*> rows_of(std::string_view library, CollectiveKind kind, bool two_level) {
  if (const Collective* row = find_default(library, kind)) return {row};
  const bool by_nccl = library == "nccl" || library == "rccl";
  std::vector<const Collective*> rows;
  for (const Collective& row : collectives()) {
    if (row.kind != kind || row.schedule == nullptr || !row.library.empty()) continue;
    if (by_nccl ? row.in_nccl : two_level || !row.two_level) rows.push_back(&row);
  }
  return rows;
}

Seconds openmpi_broadcast_time(const Operation& operation, const LinkState& link) {
  return chosen(openmpi_broadcast_rules, operation).time(operation, link);
}
Schedule openmpi_broadcast(const Operation& operation) {
  return chosen(openmpi_broadcast_rules, operation).schedule(operation);
}

Seconds openmpi_allreduce_time(const Operation& operation, const LinkState& link) {
  return chosen(openmpi_allreduce_rules, operation).time(operation, link);
}
Schedule openmpi_allreduce(const Operation& operation) {
  return chosen(openmpi_allreduce_rules, operation).schedule(operation);
}

Seconds openmpi_reduce_time(const Operation& operation, const LinkState& link) {
  return chosen(openmpi_reduce_rules, operation).time(operation, link);
}
Schedule openmpi_reduce(const Operation& operation) {
  return chosen(openmpi_reduce_rules, operation).schedule(operation);
}

Seconds openmpi_gather_time(const Operation& operation, const LinkState& link) {
  return chosen_by_share(openmpi_gather_rules, operation).time(operation, link);
}
Schedule openmpi_gather(const Operation& operation) {
  return chosen_by_share(openmpi_gather_rules, operation).schedule(operation);
}

Seconds openmpi_scatter_time(const Operation& operation, const LinkState& link) {
  return chosen_by_share(openmpi_scatter_rules, operation).time(operation, link);
}
Schedule openmpi_scatter(const Operation& operation) {
  return chosen_by_share(openmpi_scatter_rules, operation).schedule(operation);
}

Seconds openmpi_reduce_broadcast_time(const Operation& operation, const LinkState& link) {
  return openmpi_reduce_time(operation, link) + openmpi_broadcast_time(operation, link);
}
Schedule openmpi_reduce_broadcast(const Operation& operation) {
  return then(openmpi_reduce(operation), openmpi_broadcast(operation));
}

Seconds openmpi_allgather_time(const Operation& operation, const LinkState& link) {
  return chosen_by_share(openmpi_allgather_rules, operation).time(operation, link);
}
Schedule openmpi_allgather(const Operation& operation) {
  return chosen_by_share(openmpi_allgather_rules, operation).schedule(operation);
}

Seconds openmpi_reduce_scatter_time(const Operation& operation, const LinkState& link) {
  return chosen(openmpi_reduce_scatter_rules, operation).time(operation, link);
}
Schedule openmpi_reduce_scatter(const Operation& operation) {
  return chosen(openmpi_reduce_scatter_rules, operation).schedule(operation);
}

Seconds mpich_reduce_scatter_time(const Operation& operation, const LinkState& link) {
  return mpich_reduce_scatter_algorithm(operation).time(operation, link);
}
Schedule mpich_reduce_scatter(const Operation& operation) {
  return mpich_reduce_scatter_algorithm(operation).schedule(operation);
}

Seconds mpich_broadcast_time(const Operation& operation, const LinkState& link) {
  return mpich_broadcast_algorithm(operation).time(operation, link);
}
Schedule mpich_broadcast(const Operation& operation) {
  return mpich_broadcast_algorithm(operation).schedule(operation);
}

Seconds mpich_allreduce_time(const Operation& operation, const LinkState& link) {
  return mpich_allreduce_algorithm(operation).time(operation, link);
}
Schedule mpich_allreduce(const Operation& operation) {
  return mpich_allreduce_algorithm(operation).schedule(operation);
}

Seconds mpich_allgather_time(const Operation& operation, const LinkState& link) {
  return mpich_gathers_by_doubling(operation) ? recursive_doubling_allgather_time(operation, link)
                                              : ring_allgather_time(operation, link);
}
Schedule mpich_allgather(const Operation& operation) {
  return mpich_gathers_by_doubling(operation) ? recursive_doubling_allgather(operation)
                                              : ring_allgather(operation);
}

Seconds mpich_reduce_time(const Operation& operation, const LinkState& link) {
  return too_small_to_halve(operation, 2048) ? binomial_reduce_time(operation, link)
                                             : halving_gather_reduce_time(operation, link);
}
Schedule mpich_reduce(const Operation& operation) {
  return too_small_to_halve(operation, 2048) ? binomial_reduce(operation) : halving_gather_reduce(operation);
}

Seconds nccl_broadcast_time(const Operation& operation, const LinkState& link) {
  return pipelined_broadcast_time(in_nccl_slots(operation), link);
}
Schedule nccl_broadcast(const Operation& operation) { return pipelined_broadcast(in_nccl_slots(operation)); }

Schedule nccl_reduce(const Operation& operation) { return mirrored(nccl_broadcast(operation)); }

}  // namespace netmodels
