// Parts of computing in an arm whose replicas are several devices.
#pragma once

#include "netmodels/quantity.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Of a step of the first worker: time of the exchanges between the devices of a replica, which the time of
/// computing holds; 0 where a replica is one device.
netmodels::Seconds replica_exchanges(const SimulatedArm& arm);

/// The same of the time in which its devices wait for the pipeline.
netmodels::Seconds replica_bubble(const SimulatedArm& arm);

}  // namespace sim::report
