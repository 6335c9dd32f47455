// Messages under way between workers that do not wait for each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/quantity.hpp"
#include "sim/engine/network_timeline.hpp"
#include "sim/engine/platform.hpp"

namespace sim::engine {

/// Every message pays the latency of its route and then shares the links of its route max-min fairly with
/// all others, at the bandwidths that hold at each moment.
///
/// The same model as `SimGridEvaluator`'s, for messages that begin at any time; a test holds both against
/// each other. Latency is that of the moment in which a message starts. Leaves out: background flows that
/// take a fair share (those with a rate do lower the bandwidth).
class Flows {
 public:
  explicit Flows(const Platform& platform) : platform_(platform) {}

  /// @param key    handed back when the message has arrived
  /// @param after  time from now until the message is ready
  void start(std::uint64_t key, std::uint32_t from, std::uint32_t to, netmodels::Bytes size,
             netmodels::Seconds now, NetworkTimeline& network, netmodels::Seconds after = {});

  /// Lets time pass until a message arrives, but not beyond `until`.
  /// @param network  is advanced as far
  /// @returns the message's key, or nothing when `until` came first
  std::optional<std::uint64_t> advance(netmodels::Seconds until, NetworkTimeline& network);

  /// The moment up to which time has passed.
  [[nodiscard]] netmodels::Seconds now() const { return now_; }
  [[nodiscard]] bool empty() const { return flows_.empty(); }

 private:
  struct Flow {
    std::uint64_t key;
    const netmodels::Route* route;
    netmodels::Seconds flows_from;  ///< after its latency
    double left;                    ///< bytes
    double rate = 0;                ///< bytes/s
  };

  /// Sets the rates that hold from now on. @returns when they cease to hold
  netmodels::Seconds share(NetworkTimeline& network, netmodels::Seconds until);
  void pass(netmodels::Seconds to);

  const Platform& platform_;
  std::vector<Flow> flows_;  ///< in order of starting
  netmodels::Seconds now_;
};

}  // namespace sim::engine
