// The network of a cluster: hosts in rank order, links with their nominal values, and routes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "netmodels/network.hpp"
#include "netmodels/result.hpp"
#include "sim/engine/simgrid.hpp"
#include "sim/engine/zones.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::engine {

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

/// Stars of any depth are known without SimGrid, which is loaded for other topologies, for platform files,
/// and when `simgrid_network` is first asked for. Latencies live in `PlatformLink` only: SimGrid's own are
/// zero. There is one in a process at a time, see `SimGridNetwork`.
class Platform {
 public:
  /// @returns the platform, or an Error when a platform file is refused by SimGrid, names unknown hosts,
  ///          lacks a route or carries its own time-varying profiles
  /// @throws std::runtime_error where SimGrid is needed and cannot be opened
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
  /// Looked up once per pair, then kept.
  [[nodiscard]] const netmodels::Route& route(std::uint32_t from, std::uint32_t to) const;
  [[nodiscard]] scenario::NetworkPreset preset() const;

  /// Built when first asked for.
  /// @throws std::runtime_error where SimGrid cannot be opened
  [[nodiscard]] SimGridNetwork& simgrid_network() const;

 private:
  struct Parts;
  explicit Platform(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sim::engine
