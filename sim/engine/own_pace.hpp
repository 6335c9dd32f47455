// Workers that take no common step, as the source of gradients in the order of simulated time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/learners/learner.hpp"
#include "netmodels/quantity.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/platform.hpp"
#include "sim/engine/record.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// One gradient that took effect: on the server, or on the worker itself where the server merges models.
struct Push {
  std::uint32_t worker = 0;
  std::int64_t step = 0;       ///< of this worker, from 0
  netmodels::Seconds at;       ///< when it did
  Parts parts;                 ///< of this worker's time since its gradient before
  std::int64_t staleness = 0;  ///< gradients of others that the server took since this worker's pull
  netmodels::Bytes sent;  ///< by the worker and to it: the gradient and the parameters it was computed on, or
                          ///< what was sent of models since the gradient before, as far as it travelled
  int samples = 1;        ///< that it was computed on
  netmodels::Seconds compute;  ///< that it took
};

/// The cluster, with a host more where the server has its own: the last one.
scenario::Cluster with_server(const scenario::Scenario& scenario);

/// What else happens, told in the order of time; each may be left out.
struct Told {
  std::function<void(std::uint32_t worker)> pulled;                          ///< begins to pull parameters
  std::function<void(std::uint32_t worker, std::int64_t fragment)> offered;  ///< sends its change of it
  std::function<void(std::int64_t fragment, const std::vector<learning::learners::Offered>&)> merged;
  std::function<void(std::uint32_t worker, std::int64_t fragment)> took;  ///< what was merged
  std::function<void(std::uint32_t worker)> joined;                       ///< has the model of another
  std::function<void(std::string event)> noted;                           ///< for a reader of the result
};

/// Who computes when, and what is under way between workers and server.
class OwnPace {
 public:
  OwnPace() = default;
  OwnPace(const OwnPace&) = delete;
  OwnPace& operator=(const OwnPace&) = delete;
  virtual ~OwnPace() = default;

  /// Lets time pass until the next gradient takes effect; the caller sees to that before it asks again.
  /// @returns nothing where no worker is left, and none returns
  virtual std::optional<Push> next(const Told& told) = 0;

  [[nodiscard]] virtual netmodels::Seconds now() const = 0;
  [[nodiscard]] virtual NetworkTimeline& network() = 0;
  [[nodiscard]] virtual const Platform& platform() const = 0;
  /// For changes at a step or an epoch.
  virtual void arrive(std::int64_t step, double epoch) = 0;
  /// Each worker that begins to compute takes so many samples from now on, by number.
  virtual void set_batches(const std::vector<int>& samples) = 0;
  /// How values are exchanged, for records.
  [[nodiscard]] virtual std::string_view exchange() const = 0;
  /// Those that step by themselves: the cluster's workers, or its sites.
  [[nodiscard]] virtual std::size_t workers() const = 0;
  /// At the end of a run; empty: nothing.
  [[nodiscard]] virtual std::string summary() const { return {}; }
};

}  // namespace sim::engine
