// From one change of rates to the next.
#include "sim/engine/flows.hpp"

#include <algorithm>

#include "netmodels/fair_share.hpp"

namespace sim::engine {

using netmodels::Seconds;

void Flows::start(std::uint64_t key, std::uint32_t from, std::uint32_t to, netmodels::Bytes size, Seconds now,
                  NetworkTimeline& network, Seconds after) {
  const netmodels::Route& route = platform_.route(from, to);
  network.advance_within_step(now);
  const netmodels::NetworkState& state = network.state(now);
  Seconds latency;
  for (const netmodels::LinkId link : route) latency += state.links[link].latency;
  flows_.push_back({key, &route, now + after + latency, size.count, 0});
}

Seconds Flows::share(NetworkTimeline& network, Seconds until) {
  network.advance_within_step(now_);
  const netmodels::NetworkState& state = network.state(now_);  // `until` may be infinite, and so a trace
  Seconds next = std::min(until, state.horizon());
  std::vector<const netmodels::Route*> routes;
  std::vector<Flow*> flowing;
  for (Flow& flow : flows_) {
    if (flow.flows_from > now_) {
      next = std::min(next, flow.flows_from);
      flow.rate = 0;
      continue;
    }
    routes.push_back(flow.route);
    flowing.push_back(&flow);
  }
  const auto rates = netmodels::fair_rates(routes, state.links);
  for (std::size_t i = 0; i < flowing.size(); ++i) {
    flowing[i]->rate = rates[i].count;
    if (flowing[i]->rate > 0) next = std::min(next, now_ + Seconds{flowing[i]->left / flowing[i]->rate});
  }
  return std::max(next, now_);
}

void Flows::pass(Seconds to) {
  for (Flow& flow : flows_) {
    if (flow.rate == 0) continue;
    const bool ends = now_ + Seconds{flow.left / flow.rate} <= to;
    flow.left = ends ? 0 : flow.left - flow.rate * (to - now_).count;
  }
  now_ = to;
}

std::optional<std::uint64_t> Flows::advance(Seconds until, NetworkTimeline& network) {
  while (true) {
    const auto arrived = std::ranges::find_if(
        flows_, [&](const Flow& flow) { return flow.left <= 0 && flow.flows_from <= now_; });
    if (arrived != flows_.end()) {
      const std::uint64_t key = arrived->key;
      flows_.erase(arrived);
      return key;
    }
    if (now_ >= until) return std::nullopt;
    if (flows_.empty()) {
      now_ = until;
      return std::nullopt;
    }
    pass(share(network, until));
  }
}

}  // namespace sim::engine
