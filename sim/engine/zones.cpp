// Star, racks, sites, fat-tree, dragonfly and torus as SimGrid zones.
#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform.hpp"

namespace sim::engine {
namespace {

namespace sg4 = simgrid::s4u;
using netmodels::LinkState;

constexpr double end_to_end =
    0.5;  // a latency stated end to end is paid half on the way up, half on the way down
constexpr double per_hop = 1;

LinkState state_of(const netmodels::LinkState& link, double share) {
  return {link.latency * share, link.bandwidth};
}

/// Hangs zones and hosts below stars, with one duplex link each, and remembers the links.
class StarBuilder {
 public:
  sg4::NetZone* zone(const std::string& name, sg4::NetZone* parent) {
    sg4::NetZone* star = sg4::create_star_zone(name);
    if (parent != nullptr) star->set_parent(parent);
    return star;
  }

  void host(sg4::NetZone* star, const std::string& name, const PlannedLink& link) {
    const sg4::Host* host = star->create_host(name, 1.0)->seal();
    attach(star, host->get_netpoint(), nullptr, link);
    plan_.hosts.push_back(name);
  }

  /// Seals `inner` behind a router and gives it the link to `outer`. A zone that holds zones needs its router
  /// in a zone as well: SimGrid 3.32 mistakes the routes to a router next to the sender's zone.
  void uplink(sg4::NetZone* outer, sg4::NetZone* inner, const PlannedLink& link) {
    sg4::NetZone* home = inner;
    if (!inner->get_children().empty()) home = zone(inner->get_name() + "_gate", inner);
    auto* router = home->create_router(inner->get_name() + "_router");
    if (home != inner) {
      home->seal();
      inner->add_route(home->get_netpoint(), nullptr, router, nullptr, std::vector<sg4::LinkInRoute>{}, true);
    }
    inner->seal();
    attach(outer, inner->get_netpoint(), router, link);
  }

  ZonePlan plan_;

 private:
  void attach(sg4::NetZone* star, simgrid::kernel::routing::NetPoint* point,
              simgrid::kernel::routing::NetPoint* gateway, const PlannedLink& link) {
    const auto* duplex = star->create_split_duplex_link(link.name, link.nominal.bandwidth.count)->seal();
    star->add_route(point, nullptr, gateway, nullptr, {{duplex, sg4::LinkInRoute::Direction::UP}}, true);
    plan_.links.push_back(link);
  }
};

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
void add_workers(StarBuilder& builder, sg4::NetZone* star, const scenario::Cluster& cluster, int first,
                 int count) {
  const int per_node = cluster.workers_per_node;
  for (int worker = first; worker < first + count; worker += per_node) {
    const LinkState outer = state_of(own_link(cluster, worker), end_to_end);
    if (per_node == 1) {
      const std::string name = "worker" + std::to_string(worker);
      builder.host(star, name,
                   {name, LinkRole::worker, {worker}, outer, end_to_end, own_upload(cluster, worker)});
      continue;
    }
    const std::string node = "node" + std::to_string(worker / per_node);
    sg4::NetZone* inside = builder.zone(node + "_zone", star);
    std::vector<int> members;
    for (int member = worker; member < worker + per_node; ++member) {
      const std::string name = "worker" + std::to_string(member);
      builder.host(inside, name,
                   {name, LinkRole::inner, {member}, state_of(*cluster.inner_link, end_to_end), end_to_end});
      members.push_back(member);
    }
    builder.uplink(star, inside,
                   {node, LinkRole::worker, members, outer, end_to_end, own_upload(cluster, worker)});
  }
}

ZonePlan build_star(const scenario::Cluster& cluster) {
  StarBuilder builder;
  sg4::NetZone* root = builder.zone("cluster", nullptr);
  add_workers(builder, root, cluster, 0, cluster.workers);
  root->seal();
  return std::move(builder.plan_);
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), first);
  return list;
}

ZonePlan build_racks(const scenario::Cluster& cluster) {
  const auto& racks = cluster.topology.as<scenario::Racks>();
  StarBuilder builder;
  sg4::NetZone* root = builder.zone("cluster", nullptr);
  const double nodes_per_rack = 1.0 * racks.workers_per_rack / cluster.workers_per_node;
  const netmodels::LinkState uplink{cluster.link.latency,
                                    cluster.link.bandwidth * (nodes_per_rack / racks.oversubscription)};
  for (int first = 0; first < cluster.workers; first += racks.workers_per_rack) {
    const std::string name = "rack" + std::to_string(first / racks.workers_per_rack);
    sg4::NetZone* rack = builder.zone(name + "_zone", root);
    add_workers(builder, rack, cluster, first, racks.workers_per_rack);
    builder.uplink(root, rack,
                   {name, LinkRole::trunk, numbers(first, racks.workers_per_rack),
                    state_of(uplink, end_to_end), end_to_end});
  }
  root->seal();
  return std::move(builder.plan_);
}

ZonePlan build_wan(const scenario::Cluster& cluster) {
  StarBuilder builder;
  sg4::NetZone* root = builder.zone("backbone", nullptr);
  int first = 0;
  for (const scenario::Site& site : cluster.topology.as<scenario::Wan>().sites) {
    sg4::NetZone* zone = builder.zone(site.name + "_zone", root);
    add_workers(builder, zone, cluster, first, site.workers);
    const LinkState uplink{site.latency, site.bandwidth};
    builder.uplink(root, zone, {site.name, LinkRole::trunk, numbers(first, site.workers), uplink, per_hop});
    first += site.workers;
  }
  root->seal();
  return std::move(builder.plan_);
}

using NetPoint = simgrid::kernel::routing::NetPoint;

/// Names and creates the hosts of SimGrid's own cluster topologies, the first `workers` of them ours.
std::pair<NetPoint*, NetPoint*> numbered_host(sg4::NetZone* zone,
                                              const std::vector<unsigned long>& /*position*/,
                                              unsigned long id) {
  const sg4::Host* host = zone->create_host("worker" + std::to_string(id), 1.0)->seal();
  return {host->get_netpoint(), nullptr};
}

std::vector<unsigned int> unsigned_of(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

ZonePlan plan_of_hops(const scenario::Cluster& cluster) {
  ZonePlan plan;
  for (int worker = 0; worker < cluster.workers; ++worker)
    plan.hosts.push_back("worker" + std::to_string(worker));
  plan.other_links = state_of(cluster.link, per_hop);
  return plan;
}

ZonePlan build_fat_tree(const scenario::Cluster& cluster) {
  const auto& tree = cluster.topology.as<scenario::FatTree>();
  const sg4::FatTreeParams parameters(static_cast<unsigned int>(tree.down.size()), unsigned_of(tree.down),
                                      unsigned_of(tree.up), unsigned_of(tree.parallel));
  sg4::create_fatTree_zone("cluster", nullptr, parameters, sg4::ClusterCallbacks(numbered_host),
                           cluster.link.bandwidth.count, 0, sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return plan_of_hops(cluster);
}

ZonePlan build_dragonfly(const scenario::Cluster& cluster) {
  const auto& fly = cluster.topology.as<scenario::Dragonfly>();
  const auto count = [](int value) {
    return std::pair<unsigned int, unsigned int>{static_cast<unsigned int>(value), 1};
  };
  const sg4::DragonflyParams parameters(count(fly.groups), count(fly.chassis), count(fly.routers),
                                        static_cast<unsigned int>(fly.nodes));
  sg4::create_dragonfly_zone("cluster", nullptr, parameters, sg4::ClusterCallbacks(numbered_host),
                             cluster.link.bandwidth.count, 0, sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return plan_of_hops(cluster);
}

ZonePlan build_torus(const scenario::Cluster& cluster) {
  const std::vector<int>& sizes = cluster.topology.as<scenario::Torus>().dimensions;
  sg4::create_torus_zone("cluster", nullptr, {sizes.begin(), sizes.end()},
                         sg4::ClusterCallbacks(numbered_host), cluster.link.bandwidth.count, 0,
                         sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  return plan_of_hops(cluster);
}

/// The function that builds the zones of a topology by its row's name; those of a platform file are loaded,
/// see platform_file.cpp.
struct ZoneBuilder {
  std::string_view topology;
  ZonePlan (*build)(const scenario::Cluster& cluster);
};

constexpr std::array zone_builders{
    ZoneBuilder{"star", build_star},
    ZoneBuilder{"racks", build_racks},
    ZoneBuilder{"wan", build_wan},
    ZoneBuilder{"fat_tree", build_fat_tree},
    ZoneBuilder{"dragonfly", build_dragonfly},
    ZoneBuilder{"torus", build_torus},
};

}  // namespace

ZonePlan build_zones(const scenario::Cluster& cluster) {
  const auto* builder = std::ranges::find(zone_builders, cluster.topology.name(), &ZoneBuilder::topology);
  assert(builder != zone_builders.end());
  return builder->build(cluster);
}

}  // namespace sim::engine
