// Traced steps on a simulated cluster: times by hand, and the same as the step that was traced.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::engine {
namespace {

/// A traced workload on four workers at 10 Gbit/s and 1 ms.
scenario::Scenario traced(const std::string& rows, const std::string& more = "", int workers = 4) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", "operation,stream,duration_us,after,collective,bytes,among\n" + rows);
  const auto reading = scenario::read(
      scratch,
      "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\ncluster: {workers: " +
          std::to_string(workers) +
          ", link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\ntraining: {batch: 32, steps: 10}\n" + more);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading->study.arms.at(0);
}

ExplainedStep traced_step_of(const std::string& rows, const std::string& more = "", int workers = 4) {
  ClusterCache clusters;
  const auto steps = explain(traced(rows, more, workers), clusters, {});
  EXPECT_TRUE(steps) << steps.error().text();
  return steps->front();
}

const std::string summed =
    "launch,host,2000,,,,\nforward,compute,10000,0,,,\nsum,communication,,1,all_reduce,4000000,all\n"
    "backward,compute,5000,,,,\noptimizer,compute,4000,2,,,\n";

TEST(TracedRun, AnAllReduceTakesWhatThisClusterNeeds) {
  const ExplainedStep step = traced_step_of(summed, "exchange: {collective: ring_allreduce}\n");
  // six rounds of 1 ms and 1 MB at 1.25 GB/s, from 12 ms on; 5 ms of it hidden; then the optimizer
  EXPECT_NEAR(step.step.duration.count, 0.012 + 6 * 0.0018 + 0.004, 1e-9);
  EXPECT_NEAR(step.step.parts.exchange.count, 6 * 0.0018 - 0.005, 1e-9);
  EXPECT_NEAR(step.step.sent->count, 6e6, 1e-3);
  EXPECT_EQ(step.step.collective, "ring_allreduce");
  ASSERT_EQ(step.exchanges.size(), 1U);
  EXPECT_EQ(step.exchanges[0].bucket, "sum");
}

TEST(TracedRun, GathersAndScattersAreRings) {
  const ExplainedStep step = traced_step_of(
      "gather,communication,,,all_gather,4000000,all\nforward,compute,10000,0,,,\n"
      "scatter,communication,,1,reduce_scatter,4000000,all\noptimizer,compute,1000,2,,,\n");
  // three rounds of 1.8 ms each
  EXPECT_NEAR(step.step.duration.count, 2 * 3 * 0.0018 + 0.011, 1e-9);
  EXPECT_EQ(step.step.collective, "ring_reduce_scatter");
}

TEST(TracedRun, BarsShowACollectiveThatBeginsTheStep) {  // three rounds of 1.8 ms
  Listeners listeners;
  std::vector<Span> bars;
  listeners.span = [&](const Span& span) {
    if (span.worker == 0 && span.step == 0 && span.lane == "exchange") bars.push_back(span);
  };
  ASSERT_TRUE(testing::played(
      traced("gather,communication,,,all_gather,4000000,all\nforward,compute,10000,0,,,\n"), listeners));
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_EQ(bars[0].name, "gather: ring_allgather");
  EXPECT_EQ(bars[0].start, netmodels::Seconds{});
  EXPECT_NEAR(bars[0].duration.count, 3 * 0.0018, 1e-9);
}

TEST(TracedRun, OneWorkerComputesOnly) {
  EXPECT_NEAR(traced_step_of(summed, "", 1).step.duration.count, 0.021, 1e-9);
}

TEST(TracedRun, TheCheapestAllReduceIsChosenByDefault) {
  const double any = traced_step_of(summed).step.duration.count;
  EXPECT_LE(any, traced_step_of(summed, "exchange: {collective: ring_allreduce}\n").step.duration.count);
  EXPECT_LE(any, traced_step_of(summed, "exchange: {collective: tree_allreduce}\n").step.duration.count);
}

}  // namespace
}  // namespace sim::engine
