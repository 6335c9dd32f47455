// Clocks relative to the last worker's.
#include "sim/engine/worker_clocks.hpp"

#include <algorithm>

namespace sim::engine {

using netmodels::Seconds;

Seconds WorkerClocks::run(const std::vector<std::uint32_t>& workers, Seconds computing,
                          const std::vector<Seconds>& waits, SlowFactors& factors) {
  std::vector<Seconds>
      ends;  // after the clock of the last worker at the beginning; below it where one is ahead
  double slowest = -1;
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const Seconds ahead = ahead_of_last(workers[rank]);
    const Seconds computed = computing * factors.of_worker[rank] - ahead;
    slowest = std::max(slowest, ahead > Seconds{} ? computed / computing : factors.of_worker[rank]);
    ends.push_back(rank < waits.size() ? waits[rank] + computed : computed);
  }
  const Seconds last = *std::ranges::max_element(ends);
  ahead_.assign(*std::ranges::max_element(workers) + std::size_t{1}, Seconds{});
  for (std::size_t rank = 0; rank < workers.size(); ++rank) ahead_[workers[rank]] = last - ends[rank];
  factors.slowest = slowest;
  factors.mean = std::min(factors.mean, slowest);
  return waits.empty() ? Seconds{} : std::max(Seconds{}, last - computing * slowest);
}

void WorkerClocks::wait_for(Seconds before) {
  for (Seconds& ahead : ahead_) ahead = std::min(ahead, before);
}

}  // namespace sim::engine
