// The cluster of a server and its workers.
#include "sim/engine/own_pace.hpp"

namespace sim::engine {

scenario::Cluster with_server(scenario::Cluster cluster, const policies::SynchronisationChoice& stated) {
  if (!adds_a_host(stated)) return cluster;
  ++cluster.workers;
  if (!cluster.speeds.empty()) cluster.speeds.push_back(1);
  return cluster;
}

}  // namespace sim::engine
