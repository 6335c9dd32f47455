// The cluster of a server and its workers.
#include "sim/engine/own_pace.hpp"

namespace sim::engine {

scenario::Cluster with_server(const scenario::Scenario& scenario) {
  scenario::Cluster cluster = scenario.cluster;
  if (!adds_a_host(scenario.synchronisation)) return cluster;
  ++cluster.workers;
  if (!cluster.speeds.empty()) cluster.speeds.push_back(1);
  return cluster;
}

}  // namespace sim::engine
