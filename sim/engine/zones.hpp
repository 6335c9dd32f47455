// Builds the SimGrid zones of each topology; the only callers are platform files of this folder.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/platform.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

/// A duplex link on its way into the link table: SimGrid names its directions NAME_UP and NAME_DOWN.
struct PlannedLink {
  std::string name;
  LinkRole role;
  std::vector<int> workers;
  netmodels::LinkState nominal;
  double latency_share;
};

/// What the zones of one topology consist of.
struct ZonePlan {
  std::vector<std::string> hosts;    ///< in rank order
  std::vector<PlannedLink> links;    ///< those that the scenario gives a role; all others are trunks
  netmodels::LinkState other_links;  ///< nominal state of links that are not listed
};

/// Creates the zones inside the running SimGrid engine. `cluster` has been checked by the reader, and its
/// topology is not a platform file.
ZonePlan build_zones(const scenario::Cluster& cluster);

}  // namespace sim::engine
