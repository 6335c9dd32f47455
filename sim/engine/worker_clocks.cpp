// Clocks relative to the last worker's.
#include "sim/engine/worker_clocks.hpp"

#include <algorithm>
#include <cassert>

namespace sim::engine {

using netmodels::Seconds;

Seconds WorkerClocks::run(const std::vector<std::uint32_t>& workers, Seconds computing,
                          const std::vector<Seconds>& waits, SlowFactors& factors) {
  std::vector<Seconds> ends;  // from the clock of the last worker on
  double slowest = 0;
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const Seconds ahead = ahead_of_last(workers[rank]);
    const Seconds computed = computing * factors.of_worker[rank];
    slowest = std::max(slowest, ahead > Seconds{} ? (computed - ahead) / computing : factors.of_worker[rank]);
    const bool waits_here = rank < waits.size() && waits[rank] > Seconds{};
    ends.push_back(waits_here ? waits[rank] + computed : computed - ahead);
  }
  assert(slowest > 0);  // the last worker is ahead of nobody
  const Seconds last = *std::ranges::max_element(ends);
  ahead_.assign(*std::ranges::max_element(workers) + std::size_t{1}, Seconds{});
  for (std::size_t rank = 0; rank < workers.size(); ++rank) ahead_[workers[rank]] = last - ends[rank];
  factors.slowest = slowest;
  factors.mean = std::min(factors.mean, slowest);
  return waits.empty() ? Seconds{} : std::max(Seconds{}, last - computing * slowest);
}

void WorkerClocks::remain(const std::vector<std::uint32_t>& workers) {
  if (workers.empty()) return meet();
  Seconds least = ahead_of_last(workers.front());
  for (const std::uint32_t worker : workers) least = std::min(least, ahead_of_last(worker));
  for (Seconds& ahead : ahead_) ahead = std::max(Seconds{}, ahead - least);
}

void WorkerClocks::wait_for(Seconds before) {
  for (Seconds& ahead : ahead_) ahead = std::min(ahead, before);
}

}  // namespace sim::engine
