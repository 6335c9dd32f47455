// Merging changes, traces and background traffic into one state with a known future.
#include "sim/engine/network_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sim/engine/cluster_cache.hpp"

namespace sim::engine {

using netmodels::LinkId;
using netmodels::LinkState;
using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

namespace {

constexpr Seconds never{std::numeric_limits<double>::infinity()};

bool is_running(const scenario::BackgroundTraffic& traffic, Seconds at) {
  if (at < traffic.start) return false;
  if (!traffic.end) return true;
  const double since = (at - traffic.start).count;
  const double length = (*traffic.end - traffic.start).count;
  return (traffic.period ? std::fmod(since, traffic.period->count) : since) < length;
}

/// The first moment after `after` at which this traffic begins or ends.
Seconds next_edge(const scenario::BackgroundTraffic& traffic, Seconds after) {
  if (after < traffic.start) return traffic.start;
  if (!traffic.end) return never;
  const Seconds length = *traffic.end - traffic.start;
  const double turn = traffic.period ? std::floor((after - traffic.start) / *traffic.period) : 0;
  for (double next = turn; next <= turn + 1; ++next) {
    const Seconds begin = traffic.start + (traffic.period ? next * *traffic.period : Seconds{});
    for (const Seconds edge : {begin, begin + length}) {
      if (edge > after) return edge;
    }
    if (!traffic.period) break;
  }
  return never;
}

}  // namespace

LinkState NetworkTimeline::LoadedLink::seen() const {
  constexpr double least = 0.01;
  return {own.latency, std::max(own.bandwidth - load, own.bandwidth * least)};
}

Seconds NetworkTimeline::Trace::at(std::size_t index) const {
  if (index < points.size()) return points[index].at;
  if (!period || points.empty()) return never;
  return points[index % points.size()].at + static_cast<double>(index / points.size()) * *period;
}

NetworkTimeline::NetworkTimeline(const scenario::Cluster& cluster, const Platform& platform,
                                 ClusterStateNumbers& numbers)
    : rows_(platform.links()), numbers_(numbers) {
  for (const PlatformLink& row : rows_) links_.push_back({row.nominal, {}});
  last_known_ = links_;
  for (const PlatformLink& row : rows_) state_.links.push_back(row.nominal);
  for (const scenario::BackgroundTraffic& traffic : cluster.background) add_background(traffic, platform);
}

/// Traffic at a rate becomes two effects on the links of its way; other traffic becomes flows.
void NetworkTimeline::add_background(const scenario::BackgroundTraffic& traffic, const Platform& platform) {
  if (!traffic.rate) {
    background_.push_back(traffic);
    return;
  }
  const netmodels::Bandwidth rate{
      std::round(traffic.rate->count)};  // whole numbers, so that arrivals and departures add up to 0
  const netmodels::Route& way =
      platform.route(static_cast<std::uint32_t>(traffic.from), static_cast<std::uint32_t>(traffic.to));
  Trace trace{{{traffic.start, {way, std::nullopt, std::nullopt, rate}}}, traffic.period};
  if (traffic.end) trace.points.push_back({*traffic.end, {way, std::nullopt, std::nullopt, rate * -1}});
  traces_.push_back(std::move(trace));
}

Result<NetworkTimeline> NetworkTimeline::make(const scenario::Cluster& cluster, const Platform& platform,
                                              ClusterStateNumbers& numbers) {
  NetworkTimeline player(cluster, platform, numbers);
  for (std::size_t index = 0; index < cluster.changes.size(); ++index) {
    const scenario::LinkChange& change = cluster.changes[index];
    GRADSIM_TRY(links, link_targets(platform, change.workers, change.links,
                                    fmt::format("cluster.changes[{}]", index)));
    if (links->empty()) continue;  // a single host has none
    const Effect effect{std::move(*links), change.bandwidth, change.latency, {}};
    if (change.at.unit == scenario::Moment::Unit::time)
      player.timed_.push_back({{change.at.value}, effect});
    else
      player.stepped_.push_back({change.at, effect});
  }
  std::ranges::stable_sort(player.timed_, {}, &TimedEffect::at);
  for (std::size_t index = 0; index < cluster.traces.size(); ++index) {
    const scenario::LinkTrace& trace = cluster.traces[index];
    GRADSIM_TRY(links, link_targets(platform, trace.workers, {}, fmt::format("cluster.traces[{}]", index)));
    if (links->empty()) continue;
    Trace played{{}, trace.period};
    for (const auto& point : trace.points)
      played.points.push_back({point.at, {*links, point.bandwidth, point.latency, {}}});
    player.traces_.push_back(std::move(played));
  }
  player.state_.background = player.flows_at({});
  player.refresh_number();
  return player;
}

void NetworkTimeline::apply(const Effect& effect, std::vector<LoadedLink>& links) const {
  for (const LinkId id : effect.links) {
    if (effect.bandwidth) links[id].own.bandwidth = *effect.bandwidth * rows_[id].bandwidth_factor;
    if (effect.latency) links[id].own.latency = *effect.latency * rows_[id].latency_factor;
    links[id].load += effect.load;
  }
}

void NetworkTimeline::advance(Seconds now, std::int64_t step, double epoch) {
  step_start_.reset();
  look_ahead(now);
  state_.now = now;
  while (past_timed_ < timed_.size() && timed_[past_timed_].at <= now) ++past_timed_;
  for (Trace& trace : traces_) {
    while (trace.at(trace.past) <= now) ++trace.past;
  }
  bool changed = pass(now);
  drop_past();
  bool rewrite = false;
  std::erase_if(stepped_, [&](const StepEffect& next) {
    const double reached = next.at.unit == scenario::Moment::Unit::step ? static_cast<double>(step) : epoch;
    if (reached < next.at.value) return false;
    apply(next.effect, links_);
    rewrite = true;
    return true;
  });
  if (rewrite) {
    for (LinkId id = 0; id < links_.size(); ++id) state_.links[id] = links_[id].seen();
    forget_future();
  }
  if (changed || rewrite) refresh_number();
}

void NetworkTimeline::advance_within_step(Seconds now) {
  state_.now = now;
  look_ahead(now);
  if (!is_due(now)) return;
  if (!step_start_)
    step_start_ = {state_.links, links_, state_.background, future_begin_, future_flows_begin_};
  pass(now);
  refresh_number();
}

void NetworkTimeline::return_to_step_start() {
  if (!step_start_) return;
  state_.links = std::move(step_start_->seen);
  links_ = std::move(step_start_->links);
  state_.background = std::move(step_start_->background);
  future_begin_ = step_start_->future_begin;
  future_flows_begin_ = step_start_->future_flows_begin;
  step_start_.reset();
  refresh_number();
}

bool NetworkTimeline::is_due(Seconds now) const {
  return (future_begin_ < future_.size() && future_[future_begin_].at <= now) ||
         (future_flows_begin_ < future_flows_.size() && future_flows_[future_flows_begin_].at <= now);
}

bool NetworkTimeline::pass(Seconds now) {
  bool changed = false;
  for (; future_begin_ < future_.size() && future_[future_begin_].at <= now; ++future_begin_) {
    const netmodels::LinkChange& change = future_[future_begin_];
    links_[change.link] = future_links_[future_begin_];
    state_.links[change.link] = change.state;
    changed = true;
  }
  for (; future_flows_begin_ < future_flows_.size() && future_flows_[future_flows_begin_].at <= now;
       ++future_flows_begin_) {
    state_.background = future_flows_[future_flows_begin_].flows;
    changed = true;
  }
  return changed;
}

void NetworkTimeline::drop_past() {
  constexpr std::size_t compact = 1 << 16;
  if (future_begin_ > compact) {
    future_.erase(future_.begin(), future_.begin() + static_cast<std::ptrdiff_t>(future_begin_));
    future_links_.erase(future_links_.begin(),
                        future_links_.begin() + static_cast<std::ptrdiff_t>(future_begin_));
    future_begin_ = 0;
  }
  if (future_flows_begin_ > compact) {
    future_flows_.erase(future_flows_.begin(),
                        future_flows_.begin() + static_cast<std::ptrdiff_t>(future_flows_begin_));
    future_flows_begin_ = 0;
  }
}

const netmodels::NetworkState& NetworkTimeline::state(Seconds until) {
  look_ahead(until);
  state_.upcoming = std::span(future_).subspan(future_begin_);
  state_.upcoming_background = std::span(future_flows_).subspan(future_flows_begin_);
  return state_;
}

void NetworkTimeline::look_ahead(Seconds until) {
  while (foresee_next(until)) {
  }
  if (!background_.empty()) foresee_flows(until);
}

/// Which flows run is asked between two edges, where rounding cannot blur the answer.
void NetworkTimeline::foresee_flows(Seconds until) {
  while (last_flow_edge_ <= until) {
    const Seconds edge = next_flow_edge(last_flow_edge_);
    if (edge == never) {
      last_flow_edge_ = never;
      return;
    }
    const Seconds after = next_flow_edge(edge);
    future_flows_.push_back({edge, flows_at(after == never ? edge + Seconds{1} : (edge + after) / 2)});
    last_flow_edge_ = edge;
  }
}

/// Goes one effect beyond `until`, because a horizon needs the next effect.
bool NetworkTimeline::foresee_next(Seconds until) {
  Seconds first = next_timed_ < timed_.size() ? timed_[next_timed_].at : never;
  Trace* from = nullptr;
  for (Trace& trace : traces_) {
    if (trace.at(trace.next) >= first) continue;
    first = trace.at(trace.next);
    from = &trace;
  }
  const bool one_beyond = future_begin_ < future_.size() && future_.back().at > until;
  if (first == never || (first > until && one_beyond)) return false;
  foresee(first, from == nullptr ? timed_[next_timed_].effect
                                 : from->points[from->next % from->points.size()].effect);
  ++(from == nullptr ? next_timed_ : from->next);
  return true;
}

void NetworkTimeline::foresee(Seconds at, const Effect& effect) {
  apply(effect, last_known_);
  for (const LinkId id : effect.links) {
    future_.push_back({at, id, last_known_[id].seen()});
    future_links_.push_back(last_known_[id]);
  }
}

void NetworkTimeline::forget_future() {
  future_.clear();
  future_links_.clear();
  future_begin_ = 0;
  next_timed_ = past_timed_;
  for (Trace& trace : traces_) trace.next = trace.past;
  last_known_ = links_;
}

std::vector<netmodels::BackgroundFlow> NetworkTimeline::flows_at(Seconds at) const {
  std::vector<netmodels::BackgroundFlow> flows;
  for (const scenario::BackgroundTraffic& traffic : background_) {
    if (!is_running(traffic, at)) continue;
    flows.push_back({static_cast<std::uint32_t>(traffic.from), static_cast<std::uint32_t>(traffic.to)});
  }
  return flows;
}

Seconds NetworkTimeline::next_flow_edge(Seconds after) const {
  Seconds first = never;
  for (const scenario::BackgroundTraffic& traffic : background_)
    first = std::min(first, next_edge(traffic, after));
  return first;
}

void NetworkTimeline::refresh_number() { state_.number = numbers_.number({state_.links, state_.background}); }

Result<RunNetwork> RunNetwork::make(const scenario::Cluster& stated, ClusterCache& clusters) {
  GRADSIM_TRY(cluster, clusters.find(stated));
  GRADSIM_TRY(timeline, NetworkTimeline::make(stated, (*cluster)->platform(), (*cluster)->numbers()));
  return RunNetwork{std::move(*cluster), std::move(*timeline)};
}

}  // namespace sim::engine
