// Edges of rings and trees to routes, and links to what the described hardware reaches on them.
#include "sim/engine/nccl_flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim::engine {
namespace {

namespace nccl = netmodels::nccl;

/// The workers of each communicator of a row, by rank.
std::vector<std::vector<std::uint32_t>> communicators_of(const netmodels::Collective& row,
                                                         const nccl::Group& whole,
                                                         std::span<const std::uint32_t> workers) {
  using enum netmodels::CollectiveReach;
  if (row.reach == all) return {{workers.begin(), workers.end()}};
  const auto per_node = static_cast<std::uint32_t>(whole.per_node());
  const bool by_node = row.reach == within_node;
  std::vector<std::vector<std::uint32_t>> found(by_node ? whole.nodes : per_node);
  for (std::uint32_t rank = 0; rank < whole.ranks; ++rank)
    found[by_node ? rank / per_node : rank % per_node].push_back(workers[rank]);
  return found;
}

}  // namespace

NcclFlows::NcclFlows(const netmodels::Collective& row, const NcclTimes& times, const nccl::Time& quiet,
                     const Platform& platform, std::span<const std::uint32_t> workers,
                     const scenario::HopLatency& in_hops)
    : platform_(platform), quiet_(quiet) {
  const nccl::Model* model = times.model_of(row);
  if (model == nullptr) return;
  pattern_ = nccl::pattern_of(*model, NcclTimes::operation_of(row), quiet);
  const nccl::Group& whole = times.model().group();
  const bool share_nodes = row.reach == netmodels::CollectiveReach::between_nodes;
  find_links(*model, share_nodes ? whole.per_node() : 1, in_hops);
  const auto communicators = communicators_of(row, whole, workers);
  for (const auto& communicator : communicators) add_routes(communicator);
  write_rounds(communicators, workers);
}

/// Pieces that follow each other along every edge: of a ring one for each of its steps.
void NcclFlows::write_rounds(const std::vector<std::vector<std::uint32_t>>& communicators,
                             std::span<const std::uint32_t> workers) {
  constexpr double pieces_of_trees = 16;
  const auto ranks = static_cast<double>(communicators.front().size());
  const double turns = std::ceil(pattern_.trips_around * ranks);
  const double pieces = pattern_.trips_along > 0 ? pieces_of_trees : std::max(1.0, turns);
  const netmodels::Bytes size = pattern_.quiet_rate * quiet_.link_share * wire_of(quiet_) / pieces;
  const auto rank_of = [&](std::uint32_t worker) {
    return static_cast<std::uint32_t>(std::ranges::find(workers, worker) - workers.begin());
  };
  netmodels::Round round;
  for (const auto& communicator : communicators) {
    for (const nccl::Edge& edge : pattern_.edges)
      round.push_back({rank_of(communicator[edge.from]), rank_of(communicator[edge.to]), size});
  }
  rounds_.ranks = static_cast<std::uint32_t>(workers.size());
  rounds_.phases = {{{std::move(round)}, static_cast<std::uint32_t>(pieces)}};
}

netmodels::LinkState NcclFlows::without_latency(netmodels::LinkId link,
                                                const netmodels::LinkState& state) const {
  return {{}, std::min(state.bandwidth, links_.most[link])};
}

netmodels::Result<nccl::ContendedTime> NcclFlows::evaluate_rounds(const netmodels::NetworkState& state,
                                                                  const RoundsEvaluator& evaluator) const {
  if (flows_.links.empty()) return nccl::ContendedTime{quiet_, true};
  netmodels::NetworkState network = state;  // when the first byte moves
  const netmodels::Seconds latency = nccl::added_latency(pattern_, flows_, links_, state.links);
  network.now = state.now + (quiet_.total() - wire_of(quiet_)) + latency;
  for (netmodels::LinkId id = 0; id < network.links.size(); ++id)
    network.links[id] = without_latency(id, state.links[id]);
  std::vector<netmodels::LinkChange> upcoming;
  for (const netmodels::LinkChange& change : state.upcoming) {
    const netmodels::LinkState changed = without_latency(change.link, change.state);
    if (change.at <= network.now)
      network.links[change.link] = changed;
    else
      upcoming.push_back({change.at, change.link, changed});
  }
  network.upcoming = upcoming;
  while (!network.upcoming_background.empty() && network.upcoming_background.front().at <= network.now) {
    network.background = network.upcoming_background.front().flows;
    network.upcoming_background = network.upcoming_background.subspan(1);
  }
  GRADSIM_TRY(taken, evaluator(rounds_, network));
  nccl::ContendedTime contended{quiet_, taken->reusable};
  contended.time.hops += latency;
  contended.time.contention = std::max(netmodels::Seconds{}, taken->duration - wire_of(quiet_));
  contended.reusable = state.now + contended.time.total() <= state.horizon();
  return contended;
}

void NcclFlows::find_links(const nccl::Model& model, double communicators,
                           const scenario::HopLatency& in_hops) {
  constexpr netmodels::Bandwidth unbounded{std::numeric_limits<double>::infinity()};
  const auto most_of = [&](LinkRole role) {
    netmodels::Bandwidth most = unbounded;
    if (role == LinkRole::worker) most = model.rates().node * communicators;
    if (role == LinkRole::inner) most = model.rates().two_way;
    return most.count > 0 ? most : unbounded;
  };
  for (const PlatformLink& link : platform_.links()) {
    links_.most.push_back(most_of(link.role));
    netmodels::Seconds latency;
    if (link.role == LinkRole::inner) latency = in_hops.inner_link * link.latency_factor;
    if (link.role == LinkRole::worker) latency = in_hops.link * link.latency_factor;
    links_.latency.push_back(latency);
  }
}

/// Channels enter and leave a node by different workers, so that what crosses nodes loads their own links
/// little.
void NcclFlows::add_routes(std::span<const std::uint32_t> workers) {
  const bool is_first = flows_.links.empty();
  netmodels::Route& loaded = flows_.links.emplace_back();
  for (const nccl::Edge& edge : pattern_.edges) {
    const netmodels::Route& route = platform_.route(workers[edge.from], workers[edge.to]);
    if (is_first) flows_.edges.emplace_back(route);
    const auto is_inner = [&](netmodels::LinkId id) { return platform_.links()[id].role == LinkRole::inner; };
    const bool stays = std::ranges::all_of(route, is_inner);
    for (const netmodels::LinkId id : route) {
      if (stays || !is_inner(id)) loaded.push_back(id);
    }
  }
}

nccl::ContendedTime NcclFlows::evaluate(const netmodels::NetworkState& state) const {
  if (flows_.links.empty()) return {quiet_, true};
  const netmodels::Routes routes = [this](std::uint32_t from, std::uint32_t to) -> const netmodels::Route& {
    return platform_.route(from, to);
  };
  return nccl::contended(quiet_, pattern_, flows_, links_, state, routes);
}

}  // namespace sim::engine
