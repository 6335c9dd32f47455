// Hosts, links and routes as the running SimGrid engine has them.
#include "sim/engine/simgrid/network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <simgrid/s4u.hpp>

#include "sim/engine/simgrid/platform_text.hpp"
#include "sim/engine/simgrid/transfers.hpp"

namespace sim::engine {

namespace sg4 = simgrid::s4u;
using netmodels::LinkId;

std::vector<std::string> all_hosts() {
  std::vector<std::string> names;
  for (const sg4::Host* host : sg4::Engine::get_instance()->get_all_hosts())
    names.push_back(host->get_name());
  std::ranges::sort(names, by_natural_name);
  return names;
}

EngineNetwork::EngineNetwork(const ZonePlan& plan) {
  build_zones(plan);
  place(plan.hosts);
  list_links();
}

EngineNetwork::EngineNetwork(const std::string& platform_file) {
  const auto text = read_platform(platform_file);
  if (!text) throw std::runtime_error(text.error().text());
  engine_.load(*text);
  list_links();
  for (sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) link->set_latency(0.0);
}

void EngineNetwork::list_links() {
  engine_links_ = sg4::Engine::get_instance()->get_all_links();
  std::erase_if(engine_links_, [](const sg4::Link* link) { return link->get_name() == "__loopback__"; });
  std::ranges::sort(engine_links_, by_natural_name, [](const sg4::Link* link) { return link->get_name(); });
  for (const sg4::Link* link : engine_links_) {
    numbers_.emplace(link, static_cast<LinkId>(links_.size()));
    links_.push_back({link->get_name(), {{link->get_latency()}, {link->get_bandwidth()}}});
  }
}

std::vector<std::string> EngineNetwork::hosts() const { return all_hosts(); }

void EngineNetwork::place(const std::vector<std::string>& hosts) {
  hosts_.clear();
  for (const std::string& name : hosts) hosts_.push_back(sg4::Host::by_name(name));
}

netmodels::Route EngineNetwork::route(std::uint32_t from, std::uint32_t to) const {
  std::vector<sg4::Link*> links;
  double latency = 0;
  hosts_[from]->route_to(hosts_[to], links, &latency);
  netmodels::Route route;
  for (const sg4::Link* link : links) route.push_back(numbers_.at(link));
  return route;
}

std::unique_ptr<SimGridTransfers> EngineNetwork::transfers(SimGridFlowModel model) {
  return std::make_unique<EngineTransfers>(*this, std::move(model));
}

netmodels::Seconds EngineNetwork::clock() const { return {sg4::Engine::get_clock()}; }

}  // namespace sim::engine
