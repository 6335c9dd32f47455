// Takes the parts from the replica that the workload describes.
#include "sim/report/replica_parts.hpp"

namespace sim::report {
namespace {

netmodels::Seconds part_of_replica(const SimulatedArm& arm,
                                   netmodels::LinearTime netmodels::ReplicaShare::*part) {
  const auto& replica = arm.scenario->work.workload.replica;
  return replica ? ((*replica).*part).at(batch_of(arm.scenario->work.training, 0)) : netmodels::Seconds{};
}

}  // namespace

netmodels::Seconds replica_exchanges(const SimulatedArm& arm) {
  return part_of_replica(arm, &netmodels::ReplicaShare::exchanges);
}

netmodels::Seconds replica_bubble(const SimulatedArm& arm) {
  return part_of_replica(arm, &netmodels::ReplicaShare::bubble);
}

}  // namespace sim::report
