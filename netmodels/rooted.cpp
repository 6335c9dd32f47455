// Trees upwards are those downwards backwards, which take as long.
#include "netmodels/rooted.hpp"

#include "netmodels/halving_doubling.hpp"
#include "netmodels/power_of_two.hpp"
#include "netmodels/ring.hpp"
#include "netmodels/send_tree.hpp"

namespace netmodels {
namespace {

SendTree whole_buffers(const Operation& operation) {
  return halving_tree(operation.ranks, operation.size, false);
}

SendTree shares(const Operation& operation) { return halving_tree(operation.ranks, operation.size, true); }

SendTree shares_at_once(const Operation& operation) {
  return linear_tree(operation.ranks, operation.size / operation.ranks);
}

}  // namespace

Seconds binomial_reduce_time(const Operation& operation, const LinkState& link) {
  return time_of(whole_buffers(operation), link);
}
Schedule binomial_reduce(const Operation& operation) {
  return mirrored(schedule_of(whole_buffers(operation)));
}

Seconds linear_reduce_time(const Operation& operation, const LinkState& link) {
  return linear_broadcast_time(operation, link);
}
Schedule linear_reduce(const Operation& operation) { return mirrored(linear_broadcast(operation)); }

Seconds halving_gather_reduce_time(const Operation& operation, const LinkState& link) {
  const std::uint32_t powers = power_of_two_below(operation.ranks);
  const Seconds handing_in = powers == operation.ranks ? Seconds{} : link.time(operation.size);
  const Operation among{powers, operation.size};
  return handing_in + recursive_halving_reduce_scatter_time(among, link) + binomial_gather_time(among, link);
}
Schedule halving_gather_reduce(const Operation& operation) {
  const std::uint32_t powers = power_of_two_below(operation.ranks);
  const Operation among{powers, operation.size};
  Schedule schedule{operation.ranks, {}};
  Round handing_in;
  for (std::uint32_t rank = powers; rank < operation.ranks; ++rank)
    handing_in.push_back({rank, rank - powers, operation.size});
  if (!handing_in.empty()) schedule.phases.push_back({{std::move(handing_in)}, 1});
  for (Schedule part : {recursive_halving_reduce_scatter(among), binomial_gather(among)}) {
    part.ranks = operation.ranks;
    schedule = then(std::move(schedule), part);
  }
  return schedule;
}

Seconds ring_gather_reduce_time(const Operation& operation, const LinkState& link) {
  return ring_reduce_scatter_time(operation, link) + linear_gather_time(operation, link);
}
Schedule ring_gather_reduce(const Operation& operation) {
  return then(ring_reduce_scatter(operation), linear_gather(operation));
}

Seconds binomial_gather_time(const Operation& operation, const LinkState& link) {
  return time_of(shares(operation), link);
}
Schedule binomial_gather(const Operation& operation) { return mirrored(schedule_of(shares(operation))); }

Seconds linear_gather_time(const Operation& operation, const LinkState& link) {
  return time_of(shares_at_once(operation), link);
}
Schedule linear_gather(const Operation& operation) {
  return mirrored(schedule_of(shares_at_once(operation)));
}

Seconds binomial_scatter_time(const Operation& operation, const LinkState& link) {
  return time_of(shares(operation), link);
}
Schedule binomial_scatter(const Operation& operation) { return schedule_of(shares(operation)); }

Seconds linear_scatter_time(const Operation& operation, const LinkState& link) {
  return time_of(shares_at_once(operation), link);
}
Schedule linear_scatter(const Operation& operation) { return schedule_of(shares_at_once(operation)); }

}  // namespace netmodels
