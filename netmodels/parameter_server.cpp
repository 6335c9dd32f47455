// Everybody's push in one round, everybody's pull in the next.
#include "netmodels/parameter_server.hpp"

namespace netmodels {

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

}  // namespace netmodels
