// Failures over time, and the workers that continue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// A failure that takes effect: its time, the lost workers, and the end of the outage.
struct Breakdown {
  netmodels::Seconds at;
  std::vector<std::uint32_t> lost;          ///< workers that are gone for good
  std::optional<netmodels::Seconds> until;  ///< a link is down until then
  std::string what;                         ///< "worker 3", "link worker3_UP"
};

/// The failures of a scenario in order of time.
class FailurePlan {
 public:
  /// @returns the plan, or an Error for a link that the platform does not have
  static netmodels::Result<FailurePlan> make(const scenario::Cluster& cluster, const Platform& platform);

  /// The next failure, if it happens before `until`; it is then in the past.
  std::optional<Breakdown> next_before(netmodels::Seconds until);

 private:
  std::vector<Breakdown> breakdowns_;
  std::size_t next_ = 0;
};

}  // namespace sim::engine
