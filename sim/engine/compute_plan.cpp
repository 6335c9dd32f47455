// Layer times summed up to the buckets, and compression times found.
#include "sim/engine/compute_plan.hpp"

#include "netmodels/compression_floor.hpp"

namespace sim::engine {
namespace {

using netmodels::Seconds;

Seconds compression_time(const scenario::Scenario& scenario, const netmodels::Bucket& bucket) {
  const scenario::Compression& compression = scenario.compression;
  if (compression.time) {
    return *compression.time *
           (static_cast<double>(bucket.elements) / static_cast<double>(scenario.workload.parameters()));
  }
  if (!scenario.device) return {};
  const auto format = netmodels::find_wire_format(compression.method);
  return netmodels::compression_floor(
      **format, {bucket.elements, compression.ratio, compression.index_bytes, false}, *scenario.device);
}

}  // namespace

ComputePlan plan_compute(const scenario::Scenario& scenario, const ExchangePlan& exchange) {
  const double batch = scenario.training.batch;
  const netmodels::Workload& workload = scenario.workload;
  ComputePlan plan{workload.host_overhead.at(batch),
                   workload.forward(batch),
                   workload.backward(batch),
                   workload.optimizer,
                   {},
                   {}};
  for (const PlannedBucket& planned : exchange.buckets) {
    const bool alone = planned.stages.empty();
    plan.ready.push_back(ready_time(workload.layers, planned.bucket, batch));
    plan.compress.push_back(alone ? Seconds{} : compression_time(scenario, planned.bucket));
  }
  return plan;
}

std::string compression_time_origin(const scenario::Scenario& scenario) {
  if (scenario.compression.method == "none") return "none";
  if (scenario.compression.time) return "as stated";
  if (scenario.device) return "a floor: memory traffic on " + scenario.device->name;
  return "not known for this device, counted as 0";
}

}  // namespace sim::engine
