// Reading the network state through the eyes of a measurement.
#include "sim/engine/network_probe.hpp"

#include <algorithm>
#include <limits>

#include "sim/engine/random.hpp"

namespace sim::engine {

using netmodels::Bandwidth;
using netmodels::Seconds;

namespace {

/// To whom the rank sends in rings of this reach.
std::size_t next_in_ring(std::size_t rank, std::size_t ranks, netmodels::CollectiveReach reach,
                         const netmodels::Operation& among) {
  using enum netmodels::CollectiveReach;
  const std::size_t group = among.group;
  switch (reach) {
    case all: return (rank + 1) % ranks;
    case within_node: return rank - rank % group + (rank + 1) % group;
    case between_nodes: return (rank + group) % ranks;
    case groups: {
      const std::size_t block = group * among.members;
      return rank - rank % block + (rank % block + group * among.shift) % block;
    }
  }
  return rank;
}

}  // namespace

netmodels::LinkState slowest_hop(const Platform& platform, const std::vector<std::uint32_t>& workers,
                                 const netmodels::NetworkState& state, netmodels::CollectiveReach reach,
                                 const netmodels::Operation& among) {
  netmodels::LinkState slowest{{}, {std::numeric_limits<double>::infinity()}};
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const std::size_t next = next_in_ring(rank, workers.size(), reach, among);
    if (next == rank) continue;
    Seconds latency;
    for (const netmodels::LinkId link : platform.route(workers[rank], workers[next])) {
      latency += state.links[link].latency;
      slowest.bandwidth = std::min(slowest.bandwidth, state.links[link].bandwidth);
    }
    slowest.latency = std::max(slowest.latency, latency);
  }
  return slowest;
}

policies::NetworkEstimate true_estimate(const Platform& platform, const std::vector<std::uint32_t>& workers,
                                        const netmodels::NetworkState& state) {
  return {slowest_hop(platform, workers, state, netmodels::CollectiveReach::all, {}), {}};
}

std::optional<netmodels::LinkState> neighbours(const Platform& platform,
                                               const std::vector<std::uint32_t>& workers,
                                               const netmodels::NetworkState& state) {
  if (workers.size() < 2) return std::nullopt;
  const policies::NetworkEstimate estimate = true_estimate(platform, workers, state);
  return estimate;
}

std::string to_string(const policies::NetworkEstimate& network, std::size_t workers) {
  constexpr int digits = 6;
  if (workers < 2) return "one worker";
  return print(network.bandwidth, digits) + ", " + print(network.latency, digits);
}

double NetworkProbe::error(std::uint64_t reading, std::uint64_t quantity) const {
  constexpr double most = 0.99;
  if (settings_.noise == 0) return 1;
  return 1 +
         std::clamp(settings_.noise * Draw(seed_, Stream::probe, reading, quantity).normal(), -most, most);
}

void NetworkProbe::read(const Platform& platform, const std::vector<std::uint32_t>& workers,
                        const netmodels::NetworkState& state) {
  latest_ = true_estimate(platform, workers, state);
  links_ = {state.now, state.links, state.background, {}, {}, state.number};
  seen_workers_ = workers.size();
  if (!settings_.oracle) {
    latest_->latency *= error(readings_, 0);
    latest_->bandwidth *= error(readings_, 1);
  }
  ++readings_;
}

Seconds NetworkProbe::look(const Platform& platform, const std::vector<std::uint32_t>& workers,
                           const netmodels::NetworkState& state) {
  if (settings_.oracle) {
    const bool known = latest_ && links_.number == state.number && seen_workers_ == workers.size();
    if (!known) read(platform, workers, state);
    measured_at_ = state.now;
    return {};
  }
  if (latest_ && state.now < measured_at_ + settings_.interval) return {};
  read(platform, workers, state);
  measured_at_ = state.now;
  return settings_.cost;
}

const netmodels::NetworkState* NetworkProbe::links() const {
  const bool exact = settings_.oracle || settings_.noise == 0;
  return latest_ && exact ? &links_ : nullptr;
}

std::optional<policies::NetworkEstimate> NetworkProbe::estimate(Seconds now) const {
  std::optional<policies::NetworkEstimate> seen = latest_;
  if (seen) seen->age = now - measured_at_;
  return seen;
}

}  // namespace sim::engine
