// Layer times summed up to the buckets, and compression times found.
#include "sim/engine/compute_plan.hpp"

#include "sim/engine/compression_time.hpp"

namespace sim::engine {

ComputePlan plan_compute(const scenario::Scenario& scenario, const ExchangePlan& exchange,
                         std::uint32_t workers) {
  const double batch = scenario.training.batch;
  const netmodels::Workload& workload = scenario.workload;
  ComputePlan plan{workload.host_overhead.at(batch),
                   workload.forward(batch),
                   workload.backward(batch),
                   workload.optimizer,
                   {},
                   {}};
  const policies::CompressionChoice choice{scenario.compression.method, scenario.compression.ratio};
  for (const PlannedBucket& planned : exchange.buckets) {
    const bool alone = planned.stages.empty();
    const std::int64_t values = planned.bucket.elements;
    plan.ready.push_back(ready_time(workload.layers, planned.bucket, batch));
    plan.compress.push_back(alone ? netmodels::Seconds{}
                                  : compression_time(scenario, choice, values) +
                                        restoring_time(scenario, choice, values, workers));
  }
  return plan;
}

}  // namespace sim::engine
