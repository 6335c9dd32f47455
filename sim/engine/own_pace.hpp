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
#include "sim/engine/reason.hpp"
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
  netmodels::Bytes sent;  ///< by the worker and to it: the gradient and the parameters it was computed on, as
                          ///< far as they travelled; of models, the messages of all that began since the
                          ///< gradient before
  int samples = 1;        ///< that it was computed on
  netmodels::Seconds compute;                   ///< that it took
  std::optional<netmodels::Seconds> busy = {};  ///< the network at work since the gradient before; nothing:
                                                ///< `parts.exchange`
};

/// The cluster, with a host more where the server has its own: the last one.
scenario::Cluster with_server(scenario::Cluster cluster, const policies::SynchronisationChoice& stated);

/// Called in the order of time; each function may be left out.
struct PaceListener {
  /// The worker begins to pull parameters.
  std::function<void(std::uint32_t worker)> pulled;
  /// The worker sends its change of the fragment.
  std::function<void(std::uint32_t worker, std::int64_t fragment)> offered;
  /// The server merges these.
  std::function<void(std::int64_t fragment, const std::vector<learning::learners::Offered>&)> merged;
  /// The server sends the worker the fragment as it is now.
  std::function<void(std::uint32_t worker, std::int64_t fragment)> answered;
  /// The worker goes on with the fragment that was sent to it last.
  std::function<void(std::uint32_t worker, std::int64_t fragment)> received;
  /// The worker has the model of another, as that is now.
  std::function<void(std::uint32_t worker, std::uint32_t source)> joined;
  /// For a reader of the result.
  std::function<void(Reason event)> noted;
  /// Whether to return before a gradient takes effect.
  std::function<bool()> stops;
};

/// Who computes when, and what is under way between workers and server.
class OwnPace {
 public:
  OwnPace() = default;
  OwnPace(const OwnPace&) = delete;
  OwnPace& operator=(const OwnPace&) = delete;
  virtual ~OwnPace() = default;

  /// Lets time pass until the next gradient takes effect; the caller sees to that before it asks again.
  /// @returns nothing where no worker is left, and none returns, or the listener stops it
  virtual std::optional<Push> next(const PaceListener& listener) = 0;

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
  /// Those of them that are not away.
  [[nodiscard]] virtual std::size_t present() const { return workers(); }
  /// So far; nothing where no server merges models.
  [[nodiscard]] virtual std::optional<MergingResult> merging() const { return std::nullopt; }
};

}  // namespace sim::engine
