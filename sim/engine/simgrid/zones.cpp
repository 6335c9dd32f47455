// Star, racks, sites, fat-tree, dragonfly and torus as SimGrid zones.
#include <string>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/simgrid/network.hpp"

namespace sim::engine {
namespace {

namespace sg4 = simgrid::s4u;
using NetPoint = simgrid::kernel::routing::NetPoint;

sg4::NetZone* create_star(const std::string& name, sg4::NetZone* parent) {
  sg4::NetZone* star = sg4::create_star_zone(name);
  if (parent != nullptr) star->set_parent(parent);
  return star;
}

void attach(sg4::NetZone* star, NetPoint* point, NetPoint* gateway, const PlannedLink& link) {
  const auto* duplex = star->create_split_duplex_link(link.name, link.nominal.bandwidth.count)->seal();
  star->add_route(point, nullptr, gateway, nullptr, {{duplex, sg4::LinkInRoute::Direction::UP}}, true);
}

/// Seals `inner` behind a router and gives it the link to `outer`. A zone that holds zones needs its router
/// in a zone as well: SimGrid 3.32 mistakes the routes to a router next to the sender's zone.
void add_uplink(sg4::NetZone* outer, sg4::NetZone* inner, const PlannedLink& link) {
  sg4::NetZone* home = inner;
  if (!inner->get_children().empty()) home = create_star(inner->get_name() + "_gate", inner);
  auto* router = home->create_router(inner->get_name() + "_router");
  if (home != inner) {
    home->seal();
    inner->add_route(home->get_netpoint(), nullptr, router, nullptr, std::vector<sg4::LinkInRoute>{}, true);
  }
  inner->seal();
  attach(outer, inner->get_netpoint(), router, link);
}

sg4::NetZone* fill_star(const StarZone& zone, sg4::NetZone* parent) {
  sg4::NetZone* star = create_star(zone.name, parent);
  for (const PlannedLink& link : zone.hosts) {
    const sg4::Host* host = star->create_host(link.name, 1.0)->seal();
    attach(star, host->get_netpoint(), nullptr, link);
  }
  for (const StarZone& inner : zone.zones) add_uplink(star, fill_star(inner, star), *inner.uplink);
  return star;
}

/// Names and creates the hosts of SimGrid's own cluster topologies, the first of them ours.
std::pair<NetPoint*, NetPoint*> numbered_host(sg4::NetZone* zone,
                                              const std::vector<unsigned long>& /*position*/,
                                              unsigned long id) {
  const sg4::Host* host = zone->create_host("worker" + std::to_string(id), 1.0)->seal();
  return {host->get_netpoint(), nullptr};
}

std::vector<unsigned int> unsigned_of(const std::vector<int>& values) {
  return {values.begin(), values.end()};
}

/// Creates the zones of one topology.
struct Builder {
  double bandwidth;  ///< of each link that SimGrid names

  void operator()(const StarZone& root) const { fill_star(root, nullptr)->seal(); }
  void operator()(const scenario::FatTree& tree) const {
    const sg4::FatTreeParams parameters(static_cast<unsigned int>(tree.down.size()), unsigned_of(tree.down),
                                        unsigned_of(tree.up), unsigned_of(tree.parallel));
    sg4::create_fatTree_zone("cluster", nullptr, parameters, sg4::ClusterCallbacks(numbered_host), bandwidth,
                             0, sg4::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
  }
  void operator()(const scenario::Dragonfly& fly) const {
    const auto count = [](int value) {
      return std::pair<unsigned int, unsigned int>{static_cast<unsigned int>(value), 1};
    };
    const sg4::DragonflyParams parameters(count(fly.groups), count(fly.chassis), count(fly.routers),
                                          static_cast<unsigned int>(fly.nodes));
    sg4::create_dragonfly_zone("cluster", nullptr, parameters, sg4::ClusterCallbacks(numbered_host),
                               bandwidth, 0, sg4::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
  }
  void operator()(const scenario::Torus& torus) const {
    sg4::create_torus_zone("cluster", nullptr, {torus.dimensions.begin(), torus.dimensions.end()},
                           sg4::ClusterCallbacks(numbered_host), bandwidth, 0,
                           sg4::Link::SharingPolicy::SPLITDUPLEX)
        ->seal();
  }
};

}  // namespace

void build_zones(const ZonePlan& plan) { std::visit(Builder{plan.other_links.bandwidth.count}, plan.zones); }

}  // namespace sim::engine
