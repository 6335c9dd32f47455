// Binomial broadcast, and the reduction that is its mirror image.
#include "netmodels/binomial_tree.hpp"

#include <algorithm>

#include "netmodels/power_of_two.hpp"

namespace netmodels {

Seconds binomial_broadcast_time(const Operation& operation, const LinkState& link) {
  return 1.0 * doublings(operation.ranks) * link.time(operation.size);
}

Schedule binomial_broadcast(const Operation& operation) {
  Schedule schedule{operation.ranks, {}};
  for (std::uint32_t distance = (1U << doublings(operation.ranks)) / 2; distance > 0; distance /= 2) {
    Round round;
    for (std::uint32_t rank = 0; rank + distance < operation.ranks; rank += 2 * distance)
      round.push_back({rank, rank + distance, operation.size});
    schedule.phases.push_back({{std::move(round)}, 1});
  }
  return schedule;
}

Seconds binomial_tree_allreduce_time(const Operation& operation, const LinkState& link) {
  return 2.0 * binomial_broadcast_time(operation, link);
}

Schedule binomial_tree_allreduce(const Operation& operation) {
  const Schedule broadcast = binomial_broadcast(operation);
  return then(mirrored(broadcast), broadcast);
}

}  // namespace netmodels
