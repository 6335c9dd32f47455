// The zones of each topology: hosts, links, and the routes of stars.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "netmodels/network.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// The kind of a link; decides which changes reach it.
enum class LinkRole {
  worker,  ///< the own link of a worker or of its node
  inner,   ///< inside a node
  trunk,   ///< shared by several nodes: rack uplinks, sites, switches, links of a platform file
};

/// A duplex link on its way into the link table: its directions are named NAME_UP and NAME_DOWN.
struct PlannedLink {
  std::string name;
  LinkRole role;
  std::vector<int> workers;
  netmodels::LinkState nominal;
  double latency_share;
  std::optional<netmodels::Bandwidth> upload = {};  ///< of NAME_UP; nothing: as `nominal`
};

/// A switch with hosts, or with further stars, each on a link of its own. A route goes up to the lowest star
/// that both ends are in, and down.
struct StarZone {
  std::string name;
  std::vector<PlannedLink> hosts;  ///< a host has the name of its link
  std::vector<StarZone> zones;
  std::optional<PlannedLink> uplink = {};  ///< nothing at the root
};

/// What the zones of one topology consist of. Routes through a fat-tree, a dragonfly and a torus are
/// SimGrid's.
struct ZonePlan {
  std::variant<StarZone, scenario::FatTree, scenario::Dragonfly, scenario::Torus> zones;
  std::vector<std::string> hosts;    ///< in rank order
  std::vector<PlannedLink> links;    ///< those that the scenario gives a role; all others are trunks
  netmodels::LinkState other_links;  ///< nominal state of links that are not listed
};

/// @param cluster  checked by the reader, and its topology is not a platform file
ZonePlan plan_zones(const scenario::Cluster& cluster);

/// Routes between the hosts of a star, by the numbers of links.
class StarRoutes {
 public:
  /// @param numbers  of every direction of every link, by name
  StarRoutes(const StarZone& root, const std::unordered_map<std::string, netmodels::LinkId>& numbers);

  /// In the order in which a message takes them; from a host to itself, up and down its own link.
  [[nodiscard]] netmodels::Route route(std::uint32_t from, std::uint32_t to) const;

 private:
  /// From a host, or a zone, to the root.
  struct Way {
    std::vector<netmodels::LinkId> up, down;
  };
  using Numbers = std::unordered_map<std::string, netmodels::LinkId>;
  static Way extended(const Way& above, const PlannedLink& link, const Numbers& numbers);
  void visit(const StarZone& zone, const Way& above, const Numbers& numbers);

  std::vector<Way> ways_;  ///< by host
};

}  // namespace sim::engine
