// Applies network events over a training run: changes, traces, background traffic.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/network_state_numbers.hpp"
#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

class ClusterCache;
class SharedCluster;

// Which links an entry of a scenario means.

/// The links that are named, and the own links of the workers that are numbered; with neither, the own links
/// of all workers, or every link of a topology in which workers have none.
/// @param key  of the entry, such as `cluster.changes[2]`; goes into `Error::where`
/// @returns the links, or an Error for an unknown name and for a worker without its own link
netmodels::Result<std::vector<netmodels::LinkId>> link_targets(const Platform& platform,
                                                               const std::vector<int>& workers,
                                                               const std::vector<std::string>& names,
                                                               const std::string& key);

/// Owns the network state. Changes at a time are known ahead, so that the evaluation of an exchange sees
/// those that fall into it; changes at a step or an epoch take effect when that step begins. Background
/// traffic with a rate is not adaptive: it lowers the bandwidth of the links on its way, to 1 % at the least.
class NetworkTimeline {
 public:
  /// @param numbers  of the states of this platform in all runs; outlives this
  /// @returns the timeline, or an Error for a link that the platform does not have and for workers without
  /// own links
  static netmodels::Result<NetworkTimeline> make(const scenario::Cluster& cluster, const Platform& platform,
                                                 ClusterStateNumbers& numbers);

  /// Lets everything happen that is due. Time, steps and epochs never go back.
  void advance(netmodels::Seconds now, std::int64_t step, double epoch);

  /// The same in the middle of a step, where only time passes.
  void advance_within_step(netmodels::Seconds now);

  /// Undoes `advance_within_step`: the step was lost, and the next event may begin before its end.
  void return_to_step_start();

  /// The state at the moment of the last `advance`, with all that is to come until `until`, and the next
  /// thing after that. Valid until the next call.
  const netmodels::NetworkState& state(netmodels::Seconds until);

 private:
  /// The effect of one entry of the scenario on some links.
  struct Effect {
    std::vector<netmodels::LinkId> links;
    std::optional<netmodels::Bandwidth> bandwidth;
    std::optional<netmodels::Seconds> latency;
    netmodels::Bandwidth load;  ///< traffic at a constant rate that comes (above 0) or goes (below 0)
  };
  /// A link without the constant-rate traffic on it, and that traffic.
  struct LoadedLink {
    netmodels::LinkState own;
    netmodels::Bandwidth load;

    [[nodiscard]] netmodels::LinkState seen() const;
  };
  /// What `advance_within_step` overwrites.
  struct StepStart {
    std::vector<netmodels::LinkState> seen;
    std::vector<LoadedLink> links;
    std::vector<netmodels::BackgroundFlow> background;
    std::size_t future_begin;
    std::size_t future_flows_begin;
  };
  struct TimedEffect {
    netmodels::Seconds at;
    Effect effect;
  };
  struct StepEffect {
    scenario::Moment at;
    Effect effect;
  };
  struct Trace {
    std::vector<TimedEffect> points;
    std::optional<netmodels::Seconds> period;
    std::size_t past = 0;  ///< points applied so far, counted over all periods
    std::size_t next = 0;  ///< points that are in `future_` or past

    [[nodiscard]] netmodels::Seconds at(std::size_t index) const;  ///< infinite after the last point
  };

  NetworkTimeline(const scenario::Cluster& cluster, const Platform& platform, ClusterStateNumbers& numbers);
  void add_background(const scenario::BackgroundTraffic& traffic, const Platform& platform);
  void apply(const Effect& effect, std::vector<LoadedLink>& links) const;
  void look_ahead(netmodels::Seconds until);
  bool foresee_next(netmodels::Seconds until);
  void foresee(netmodels::Seconds at, const Effect& effect);
  void forget_future();
  [[nodiscard]] bool is_due(netmodels::Seconds now) const;
  bool pass(netmodels::Seconds now);
  void drop_past();
  [[nodiscard]] std::vector<netmodels::BackgroundFlow> flows_at(netmodels::Seconds at) const;
  [[nodiscard]] netmodels::Seconds next_flow_edge(netmodels::Seconds after) const;
  void foresee_flows(netmodels::Seconds until);
  void refresh_number();

  std::vector<PlatformLink> rows_;
  std::vector<scenario::BackgroundTraffic> background_;  ///< adaptive (fair-share) traffic
  std::vector<TimedEffect> timed_;                       ///< `cluster.changes` at times, in order
  std::size_t past_timed_ = 0;
  std::size_t next_timed_ = 0;
  std::vector<Trace> traces_;
  std::vector<StepEffect> stepped_;      ///< not yet happened
  std::optional<StepStart> step_start_;  ///< when something has changed since

  netmodels::NetworkState state_;
  RunStateNumbers numbers_;
  std::vector<LoadedLink> links_;  ///< after `state_.links`
  std::vector<netmodels::LinkChange> future_;
  std::vector<LoadedLink> future_links_;  ///< after `future_`
  std::size_t future_begin_ = 0;
  std::vector<netmodels::BackgroundChange> future_flows_;
  std::size_t future_flows_begin_ = 0;
  std::vector<LoadedLink> last_known_;  ///< the links after the last entry of `future_`
  netmodels::Seconds last_flow_edge_;   ///< of `future_flows_`, or the beginning
};

/// A built cluster, and what happens to its links in one run.
struct RunNetwork {
  std::shared_ptr<SharedCluster> cluster;
  NetworkTimeline timeline;

  /// @returns both, or an Error when the cluster cannot be built as stated
  static netmodels::Result<RunNetwork> make(const scenario::Cluster& stated, ClusterCache& clusters);
};

}  // namespace sim::engine
