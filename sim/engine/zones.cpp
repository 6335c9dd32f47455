// Plans the zones of star, racks, sites, fat-tree, dragonfly and torus.
#include "sim/engine/zones.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <string_view>
#include <utility>

namespace sim::engine {
namespace {

using netmodels::LinkState;

constexpr double end_to_end =
    0.5;  // a latency stated end to end is paid half on the way up, half on the way down
constexpr double per_hop = 1;

LinkState state_of(const netmodels::LinkState& link, double share) {
  return {link.latency * share, link.bandwidth};
}

netmodels::LinkState own_link(const scenario::Cluster& cluster, int worker) {
  for (const scenario::WorkerLink& special : cluster.worker_links) {
    for (const int listed : special.workers) {
      if (listed == worker) return special.link;
    }
  }
  return cluster.link;
}

std::optional<netmodels::Bandwidth> own_upload(const scenario::Cluster& cluster, int worker) {
  for (const scenario::WorkerLink& special : cluster.worker_links) {
    if (std::ranges::find(special.workers, worker) != special.workers.end()) return special.upload;
  }
  return cluster.upload;
}

/// Workers [first, first + count) below `star`: one by one, or in nodes that share a link to it.
void add_workers(StarZone& star, const scenario::Cluster& cluster, int first, int count) {
  const int per_node = cluster.workers_per_node;
  for (int worker = first; worker < first + count; worker += per_node) {
    const LinkState outer = state_of(own_link(cluster, worker), end_to_end);
    if (per_node == 1) {
      star.hosts.push_back({"worker" + std::to_string(worker),
                            LinkRole::worker,
                            {worker},
                            outer,
                            end_to_end,
                            own_upload(cluster, worker)});
      continue;
    }
    const std::string node = "node" + std::to_string(worker / per_node);
    StarZone inside{node + "_zone", {}, {}};
    std::vector<int> members;
    for (int member = worker; member < worker + per_node; ++member) {
      inside.hosts.push_back({"worker" + std::to_string(member),
                              LinkRole::inner,
                              {member},
                              state_of(*cluster.inner_link, end_to_end),
                              end_to_end});
      members.push_back(member);
    }
    inside.uplink = {node, LinkRole::worker, members, outer, end_to_end, own_upload(cluster, worker)};
    star.zones.push_back(std::move(inside));
  }
}

/// Hosts and links of a star: of each zone those inside, then its uplink.
void list_star(const StarZone& zone, ZonePlan& plan) {
  for (const PlannedLink& link : zone.hosts) {
    plan.hosts.push_back(link.name);
    plan.links.push_back(link);
  }
  for (const StarZone& inner : zone.zones) list_star(inner, plan);
  if (zone.uplink) plan.links.push_back(*zone.uplink);
}

ZonePlan plan_of_star(StarZone root) {
  ZonePlan plan;
  list_star(root, plan);
  plan.zones = std::move(root);
  return plan;
}

ZonePlan plan_star(const scenario::Cluster& cluster) {
  StarZone root{"cluster", {}, {}};
  add_workers(root, cluster, 0, cluster.workers);
  return plan_of_star(std::move(root));
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return list;
}

ZonePlan plan_racks(const scenario::Cluster& cluster) {
  const auto& racks = cluster.topology.as<scenario::Racks>();
  StarZone root{"cluster", {}, {}};
  const double nodes_per_rack = 1.0 * racks.workers_per_rack / cluster.workers_per_node;
  const netmodels::LinkState uplink{cluster.link.latency,
                                    cluster.link.bandwidth * (nodes_per_rack / racks.oversubscription)};
  for (int first = 0; first < cluster.workers; first += racks.workers_per_rack) {
    const std::string name = "rack" + std::to_string(first / racks.workers_per_rack);
    StarZone rack{name + "_zone", {}, {}};
    add_workers(rack, cluster, first, racks.workers_per_rack);
    rack.uplink = {name, LinkRole::trunk, numbers(first, racks.workers_per_rack),
                   state_of(uplink, end_to_end), end_to_end};
    root.zones.push_back(std::move(rack));
  }
  return plan_of_star(std::move(root));
}

ZonePlan plan_wan(const scenario::Cluster& cluster) {
  StarZone root{"backbone", {}, {}};
  int first = 0;
  for (const scenario::Site& site : cluster.topology.as<scenario::Wan>().sites) {
    StarZone zone{site.name + "_zone", {}, {}};
    add_workers(zone, cluster, first, site.workers);
    const LinkState uplink{site.latency, site.bandwidth};
    zone.uplink = {site.name, LinkRole::trunk, numbers(first, site.workers), uplink, per_hop};
    root.zones.push_back(std::move(zone));
    first += site.workers;
  }
  return plan_of_star(std::move(root));
}

/// The topologies whose hosts SimGrid numbers, all of whose links are alike.
template <class Shape>
ZonePlan plan_hops(const scenario::Cluster& cluster) {
  ZonePlan plan;
  plan.zones = cluster.topology.as<Shape>();
  for (int worker = 0; worker < cluster.workers; ++worker)
    plan.hosts.push_back("worker" + std::to_string(worker));
  plan.other_links = state_of(cluster.link, per_hop);
  return plan;
}

/// The function that plans the zones of a topology by its row's name; those of a platform file are loaded.
struct ZonePlanner {
  std::string_view topology;
  ZonePlan (*plan)(const scenario::Cluster& cluster);
};

constexpr std::array zone_planners{
    ZonePlanner{"star", plan_star},
    ZonePlanner{"racks", plan_racks},
    ZonePlanner{"wan", plan_wan},
    ZonePlanner{"fat_tree", plan_hops<scenario::FatTree>},
    ZonePlanner{"dragonfly", plan_hops<scenario::Dragonfly>},
    ZonePlanner{"torus", plan_hops<scenario::Torus>},
};

}  // namespace

ZonePlan plan_zones(const scenario::Cluster& cluster) {
  const auto* planner = std::ranges::find(zone_planners, cluster.topology.name(), &ZonePlanner::topology);
  assert(planner != zone_planners.end());
  return planner->plan(cluster);
}

StarRoutes::StarRoutes(const StarZone& root, const Numbers& numbers) { visit(root, {}, numbers); }

StarRoutes::Way StarRoutes::extended(const Way& above, const PlannedLink& link, const Numbers& numbers) {
  Way way{{numbers.at(link.name + "_UP")}, {numbers.at(link.name + "_DOWN")}};
  way.up.insert(way.up.end(), above.up.begin(), above.up.end());
  way.down.insert(way.down.end(), above.down.begin(), above.down.end());
  return way;
}

void StarRoutes::visit(const StarZone& zone, const Way& above, const Numbers& numbers) {
  for (const PlannedLink& host : zone.hosts) ways_.push_back(extended(above, host, numbers));
  for (const StarZone& inner : zone.zones) visit(inner, extended(above, *inner.uplink, numbers), numbers);
}

netmodels::Route StarRoutes::route(std::uint32_t from, std::uint32_t to) const {
  const Way& source = ways_[from];
  const Way& target = ways_[to];
  std::size_t shared = 0;  // links of both, next to the root
  while (shared + 1 < std::min(source.up.size(), target.up.size()) &&
         source.up[source.up.size() - shared - 1] == target.up[target.up.size() - shared - 1])
    ++shared;
  netmodels::Route route(source.up.begin(), source.up.end() - static_cast<std::ptrdiff_t>(shared));
  route.insert(route.end(), target.down.rbegin() + static_cast<std::ptrdiff_t>(shared), target.down.rend());
  return route;
}

}  // namespace sim::engine
