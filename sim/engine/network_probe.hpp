// A job's measurements of its network: late, noisy and not for free.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netmodels/collective.hpp"
#include "netmodels/network.hpp"
#include "policies/exchange_policy.hpp"
#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// Latency and bandwidth between neighbouring workers as they are: the largest and the smallest over all
/// neighbours, since a collective waits for its slowest hop.
policies::NetworkEstimate true_estimate(const Platform& platform, const std::vector<std::uint32_t>& workers,
                                        const netmodels::NetworkState& state);

/// Likewise between the neighbours of rings among workers of this reach: all of them, those of each node, or
/// those of equal index on all nodes, or those of each group. Infinite bandwidth where a ring has one worker.
/// @param among  `group` and `members` as the reach has them
netmodels::LinkState slowest_hop(const Platform& platform, const std::vector<std::uint32_t>& workers,
                                 const netmodels::NetworkState& state, netmodels::CollectiveReach reach,
                                 const netmodels::Operation& among);

/// The same for the record of a step; nothing for a single worker.
std::optional<netmodels::LinkState> neighbours(const Platform& platform,
                                               const std::vector<std::uint32_t>& workers,
                                               const netmodels::NetworkState& state);

/// "10 Gbit/s, 1 ms", or "one worker" where nothing is exchanged.
std::string to_string(const policies::NetworkEstimate& network, std::size_t workers);

/// Measures every `interval` of training time, as iperf and ping between neighbours would: each reading is
/// off by `noise` (relative standard deviation, normal, cut at 99 %), and training stalls for `cost`.
class NetworkProbe {
 public:
  NetworkProbe(const scenario::Probe& settings, std::uint64_t seed) : settings_(settings), seed_(seed) {}

  /// Measures if it is time to, or looks at the truth if the scenario asked for the oracle.
  /// @returns the time that training stalled
  netmodels::Seconds look(const Platform& platform, const std::vector<std::uint32_t>& workers,
                          const netmodels::NetworkState& state);

  /// As of the last look.
  [[nodiscard]] std::optional<policies::NetworkEstimate> estimate(netmodels::Seconds now) const;
  /// Every link as of the last look, as if it stayed so; null before any look, and where readings have noise.
  [[nodiscard]] const netmodels::NetworkState* links() const;
  [[nodiscard]] std::uint64_t readings() const { return readings_; }

 private:
  void read(const Platform& platform, const std::vector<std::uint32_t>& workers,
            const netmodels::NetworkState& state);
  [[nodiscard]] double error(std::uint64_t reading, std::uint64_t quantity) const;

  scenario::Probe settings_;
  std::uint64_t seed_;
  std::uint64_t readings_ = 0;
  std::size_t seen_workers_ = 0;  ///< workers are lost, never won
  netmodels::Seconds measured_at_;
  std::optional<policies::NetworkEstimate> latest_;
  netmodels::NetworkState links_;  ///< with `latest_`
};

}  // namespace sim::engine
