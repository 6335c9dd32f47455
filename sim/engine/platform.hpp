// The cluster as SimGrid builds it: hosts in rank order, links with their nominal values, and routes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"

// SimGrid stays behind forward declarations: its headers cost seconds in every file that includes them.
namespace simgrid::s4u {
class Host;
class Link;
}  // namespace simgrid::s4u

namespace sim::engine {

/// The kind of a link; decides which changes reach it.
enum class LinkRole {
  worker,  ///< the own link of a worker or of its node
  inner,   ///< inside a node
  trunk,   ///< shared by several nodes: rack uplinks, sites, switches, links of a platform file
};

/// One direction of one link.
struct PlatformLink {
  std::string name;  ///< as `sim explain` prints it and `cluster.changes` may name it
  LinkRole role;
  std::vector<int> workers;  ///< workers reached only by it; empty where there are none or it is not known
  netmodels::LinkState nominal;  ///< as the scenario states it, presets applied
  double
      latency_factor;  ///< factor of a stated latency: 0.5 where it is stated end to end and two
                       ///< links share it (star, racks, inside nodes and sites), else 1; times the preset's
  double bandwidth_factor;  ///< factor of a stated bandwidth: that of the preset
  bool end_to_end;          ///< latency is stated for two such links together
};

/// A built SimGrid platform. There is one at a time in a process, since SimGrid has one engine; building
/// hundreds one after another slows SimGrid down, whose callbacks pile up with every engine. Latencies live
/// in `PlatformLink` only: SimGrid's own are zero, see `SimGridEvaluator`.
class Platform {
 public:
  /// @returns the platform, or an Error when a platform file is refused by SimGrid, names unknown hosts,
  /// lacks a
  ///          route or carries its own time-varying profiles
  static netmodels::Result<std::unique_ptr<Platform>> make(const scenario::Cluster& cluster);
  ~Platform();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  [[nodiscard]] std::uint32_t workers() const;
  [[nodiscard]] const std::string& host_name(std::uint32_t worker) const;
  [[nodiscard]] const std::vector<PlatformLink>& links() const;
  /// Both directions of a duplex link, or the one that is named.
  /// @returns at least one link, or an Error without a place that names the nearest known one
  [[nodiscard]] netmodels::Result<std::vector<netmodels::LinkId>> find_links(const std::string& name) const;
  /// Looked up in SimGrid once per pair, then kept.
  [[nodiscard]] const netmodels::Route& route(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] scenario::NetworkPreset preset() const;

  [[nodiscard]] simgrid::s4u::Host* host(std::uint32_t worker) const;
  [[nodiscard]] simgrid::s4u::Link* link(netmodels::LinkId link) const;

 private:
  struct Parts;
  explicit Platform(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Builds the SimGrid zones of each topology; the only callers are platform files of this folder.

/// A duplex link on its way into the link table: SimGrid names its directions NAME_UP and NAME_DOWN.
struct PlannedLink {
  std::string name;
  LinkRole role;
  std::vector<int> workers;
  netmodels::LinkState nominal;
  double latency_share;
  std::optional<netmodels::Bandwidth> upload = {};  ///< of NAME_UP; nothing: as `nominal`
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

// SimGrid platform files (XML): tried in a child process first, because SimGrid ends the process on a bad
// one.

/// Names the hosts that work, in rank order; called when the file has been loaded.
using ChooseHosts = std::function<std::vector<std::string>()>;

/// Loads `path` in a child process, looks up routes between the hosts that work, and reports what SimGrid
/// says there. Up to 256 hosts every pair is looked up, beyond that those of neighbours in rank and those of
/// rank 0.
/// @returns nothing to say, or an Error that carries SimGrid's own message, or names two hosts without a
/// route; files
///          with their own profiles (bandwidth_file, latency_file, state_file, <trace>) are refused, since
///          changes belong to the scenario
netmodels::Result<void> try_platform_file(const std::string& path, const ChooseHosts& choose_hosts);

}  // namespace sim::engine
