// A network in SimGrid's hands: hosts, links and routes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/engine/simgrid.hpp"
#include "sim/engine/simgrid/engine.hpp"

namespace simgrid::s4u {
class Host;
class Link;
}  // namespace simgrid::s4u

namespace sim::engine {

/// The hosts and links of the running SimGrid engine.
class EngineNetwork : public SimGridNetwork {
 public:
  /// The zones of a plan.
  explicit EngineNetwork(const ZonePlan& plan);
  /// A platform file; see `SimGrid::load`.
  explicit EngineNetwork(const std::string& platform_file);

  [[nodiscard]] std::vector<std::string> hosts() const override;
  [[nodiscard]] const std::vector<SimGridLink>& links() const override { return links_; }
  void place(const std::vector<std::string>& hosts) override;
  [[nodiscard]] netmodels::Route route(std::uint32_t from, std::uint32_t to) const override;
  [[nodiscard]] std::unique_ptr<SimGridTransfers> transfers(SimGridFlowModel model) override;
  [[nodiscard]] netmodels::Seconds clock() const override;

  [[nodiscard]] simgrid::s4u::Host* host(std::uint32_t worker) const { return hosts_[worker]; }
  [[nodiscard]] simgrid::s4u::Link* link(netmodels::LinkId link) const { return engine_links_[link]; }

 private:
  void list_links();

  SimGridEngine engine_;
  std::vector<simgrid::s4u::Host*> hosts_;  ///< by worker
  std::vector<SimGridLink> links_;
  std::vector<simgrid::s4u::Link*> engine_links_;
  std::unordered_map<const simgrid::s4u::Link*, netmodels::LinkId> numbers_;
};

/// All hosts of the running engine, in natural order.
std::vector<std::string> all_hosts();

/// Creates the zones inside the running engine.
void build_zones(const ZonePlan& plan);

/// See `SimGrid::try_file`.
netmodels::Result<void> try_platform_file(const std::string& path, const ChooseHosts& choose_hosts);

}  // namespace sim::engine
