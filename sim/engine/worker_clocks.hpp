// The clocks of workers that do not wait for each other in local steps.
#pragma once

#include <cstdint>
#include <vector>

#include "netmodels/quantity.hpp"
#include "sim/engine/stragglers.hpp"

namespace sim::engine {

/// How far each worker is ahead of the last one, from one exchange to the next. After steps of t_w(1),
/// t_w(2), ... the last worker is at max over w of t_w(1) + t_w(2) + ...; a step is taken to last as long as
/// this grows by it, so that a worker that was slow in one step and fast in another costs the others nothing.
class WorkerClocks {
 public:
  /// A step of all workers.
  /// @param workers    in rank order
  /// @param computing  of a worker of nominal speed, above 0
  /// @param waits      before each of them begins, from the last one's clock on, in rank order; empty: none
  /// @param factors    of the step; `slowest` becomes that by which the last worker's clock goes on without
  ///                   waits, `mean` at most that
  /// @returns by how much waits delay the last worker
  netmodels::Seconds run(const std::vector<std::uint32_t>& workers, netmodels::Seconds computing,
                         const std::vector<netmodels::Seconds>& waits, SlowFactors& factors);

  /// The others have left: from now on the last one of these is the last.
  void remain(const std::vector<std::uint32_t>& workers);

  /// All workers have waited for the last one.
  void meet() { ahead_.clear(); }

  /// Whether nobody is known to be ahead.
  [[nodiscard]] bool together() const { return ahead_.empty(); }

  /// All workers have waited for something that arrived so long before the last one's clock.
  /// @param before  at least 0
  void wait_for(netmodels::Seconds before);

 private:
  [[nodiscard]] netmodels::Seconds ahead_of_last(std::uint32_t worker) const {
    return worker < ahead_.size() ? ahead_[worker] : netmodels::Seconds{};
  }

  std::vector<netmodels::Seconds> ahead_;  ///< by worker; those beyond its end: 0
};

}  // namespace sim::engine
