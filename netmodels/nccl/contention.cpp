// Patterns of edges, and their progress from change to change.
#include "netmodels/nccl/contention.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "netmodels/fair_share.hpp"
#include "netmodels/pipelined_tree.hpp"

namespace netmodels::nccl {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double same = 1e-9;            // rates that differ by less are equal
constexpr double most_bandwidth = 1e30;  // rate of a link stated without a bound

void add_both_ways(std::vector<Edge>& edges, std::uint32_t one, std::uint32_t other) {
  edges.push_back({one, other});
  edges.push_back({other, one});
}

std::vector<Edge> ring_edges(std::uint32_t ranks, bool closes) {
  std::vector<Edge> edges;
  for (std::uint32_t rank = 0; rank + 1 < ranks; ++rank) edges.push_back({rank, rank + 1});
  if (closes) edges.push_back({ranks - 1, 0});
  return edges;
}

std::vector<Edge> tree_edges(const Group& group) {
  const auto per_node = static_cast<std::uint32_t>(group.per_node());
  std::vector<Edge> edges;
  for (std::uint32_t first = 0; first < group.ranks; first += per_node) {
    for (std::uint32_t rank = first; rank + 1 < first + per_node; ++rank)
      add_both_ways(edges, rank, rank + 1);
  }
  if (group.nodes == 1) return edges;
  for (const Tree& tree : two_binary_trees(group.nodes)) {
    for (std::uint32_t node = 0; node < group.nodes; ++node) {
      for (const std::uint32_t child : tree.children[node])
        add_both_ways(edges, node * per_node, child * per_node);
    }
  }
  return edges;
}

bool is_tree(const Time& time) { return time.choice && time.choice->algorithm == Algorithm::tree; }

/// The rate of an edge where ranks have links of their own inside a node, and nodes to each other.
Bandwidth rate_of_edges(const std::vector<Edge>& edges, const Model& model) {
  const Group& group = model.group();
  const auto per_node = static_cast<std::uint32_t>(group.per_node());
  std::vector<int> sent(group.ranks);
  std::vector<int> left(group.nodes);
  for (const Edge& edge : edges) {  // as many come as go, or fewer
    if (edge.from / per_node == edge.to / per_node)
      ++sent[edge.from];
    else
      ++left[edge.from / per_node];
  }
  Bandwidth rate{infinite};
  const int most_sent = *std::ranges::max_element(sent);
  const int most_left = *std::ranges::max_element(left);
  if (most_sent > 0) rate = model.rates().two_way / most_sent;
  if (most_left > 0) rate = std::min(rate, model.rates().node / most_left);
  return rate;
}

void count_trips(Pattern& pattern, const Model& model, Operation operation, const Time& time) {
  const Group& group = model.group();
  const double ranks = group.ranks;
  const auto levels = static_cast<double>(std::bit_width(group.nodes - 1));  // log2, rounded up
  if (is_rooted(operation)) {
    pattern.trips_around = 1;
    return;
  }
  switch (time.choice ? time.choice->algorithm : Algorithm::ring) {
    case Algorithm::ring: pattern.trips_around = share_of(operation, ranks); break;
    case Algorithm::tree:
      if (group.nodes == 1)
        pattern.trips_around = 1;  // up and down the chain
      else
        pattern.trips_along = 2 * levels;
      break;
    case Algorithm::nvls: pattern.trips_along = 2; break;
    case Algorithm::nvls_tree: pattern.trips_along = 2 * levels; break;
    case Algorithm::pat: pattern.trips_along = levels; break;
  }
}

/// Flows between changes of the network.
class Progress {
 public:
  Progress(const Time& quiet, const Pattern& pattern, const Flows& flows, const ModelLinks& model_links,
           const NetworkState& state, const Routes& routes)
      : limit_(pattern.quiet_rate * quiet.link_share),
        most_(model_links.most),
        state_(state),
        routes_(routes),
        links_(state.links),
        background_(state.background) {
    for (LinkId link = 0; link < links_.size(); ++link) bound(link);
    for (const Route& links : flows.links) flows_.push_back({&links, wire_of(quiet), 0});
  }

  /// @param begin  of the bytes, after the start of the operation
  /// @returns when the last flow has ended, likewise; infinite where one does not move any more
  Seconds run(Seconds begin) {
    Seconds now = begin;
    while (!flows_.empty()) {
      Seconds next = apply_until(now);
      share();
      for (const Flow& flow : flows_) {
        if (flow.progress > 0) next = std::min(next, now + flow.left / flow.progress);
      }
      if (next.count == infinite) return next;
      pass(now, next);
      now = next;
    }
    return now;
  }

 private:
  struct Flow {
    const Route* links;
    Seconds left;     ///< time left at the quiet rate
    double progress;  ///< relative to it
  };

  void bound(LinkId link) {
    Bandwidth& bandwidth = links_[link].bandwidth;
    bandwidth = std::min({bandwidth, most_[link], Bandwidth{most_bandwidth}});
  }

  /// Applies what has changed until `now`. @returns the next change
  Seconds apply_until(Seconds now) {
    const auto& links = state_.upcoming;
    const auto& background = state_.upcoming_background;
    for (; next_link_ < links.size() && links[next_link_].at - state_.now <= now; ++next_link_) {
      links_[links[next_link_].link] = links[next_link_].state;
      bound(links[next_link_].link);
    }
    for (; next_flows_ < background.size() && background[next_flows_].at - state_.now <= now; ++next_flows_)
      background_ = background[next_flows_].flows;
    Seconds next{infinite};
    if (next_link_ < links.size()) next = links[next_link_].at - state_.now;
    if (next_flows_ < background.size()) next = std::min(next, background[next_flows_].at - state_.now);
    return next;
  }

  void share() {
    std::vector<const Route*> all;
    for (const Flow& flow : flows_) all.push_back(flow.links);
    for (const BackgroundFlow& flow : background_) all.push_back(&routes_(flow.from, flow.to));
    const auto rates = fair_rates(all, links_);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const double progress = rates[i] / limit_;
      flows_[i].progress = progress > 1 - same ? 1 : progress;
    }
  }

  /// A flow that ends until `next` ends, whatever rounding leaves of it: the time of a short rest may be lost
  /// in `now`.
  void pass(Seconds now, Seconds next) {
    constexpr double rounding = 1e-12;
    for (Flow& flow : flows_) {
      if (flow.progress <= 0) continue;
      const bool ended = now + flow.left / flow.progress <= next;
      const Seconds left = flow.left - (next - now) * flow.progress;
      flow.left = ended || left <= flow.left * rounding ? Seconds{} : left;
    }
    std::erase_if(flows_, [](const Flow& flow) { return flow.left == Seconds{}; });
  }

  Bandwidth limit_;
  const std::vector<Bandwidth>& most_;
  const NetworkState& state_;
  const Routes& routes_;
  std::vector<LinkState> links_;
  std::vector<BackgroundFlow> background_;
  std::vector<Flow> flows_;
  std::size_t next_link_ = 0;
  std::size_t next_flows_ = 0;
};

}  // namespace

Pattern pattern_of(const Model& model, Operation operation, const Time& time) {
  Pattern pattern;
  const Group& group = model.group();
  if (group.ranks == 1) return pattern;
  pattern.edges = is_tree(time) ? tree_edges(group) : ring_edges(group.ranks, !is_rooted(operation));
  pattern.quiet_rate = rate_of_edges(pattern.edges, model);
  count_trips(pattern, model, operation, time);
  return pattern;
}

Seconds added_latency(const Pattern& pattern, const Flows& flows, const ModelLinks& model_links,
                      const std::vector<LinkState>& links) {
  Seconds sum;
  Seconds most;
  for (const auto& route : flows.edges) {
    Seconds added;
    for (const LinkId link : route) added += links[link].latency - model_links.latency[link];
    added = std::max(added, Seconds{});
    sum += added;
    most = std::max(most, added);
  }
  return sum * pattern.trips_around + most * pattern.trips_along;
}

Seconds wire_of(const Time& time) {
  const Seconds quiet = time.total() - time.contention;
  const Seconds computed = quiet - time.correction;
  if (computed <= Seconds{}) return {};
  return std::min((time.wire + time.fill) * (quiet / computed), quiet);
}

ContendedTime contended(const Time& quiet, const Pattern& pattern, const Flows& flows,
                        const ModelLinks& model_links, const NetworkState& state, const Routes& routes) {
  const Seconds added = added_latency(pattern, flows, model_links, state.links);
  const Seconds begin = quiet.total() - wire_of(quiet) + added;
  const Seconds end = Progress(quiet, pattern, flows, model_links, state, routes).run(begin);
  ContendedTime contended{quiet, state.now + end <= state.horizon()};
  contended.time.hops += added;
  const Seconds contention = end - quiet.total() - added;
  if (contention > quiet.total() * same) contended.time.contention = contention;
  return contended;
}

}  // namespace netmodels::nccl
