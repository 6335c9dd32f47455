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

/// The first step of an arm.
ExplainedStep step_of(const scenario::Scenario& arm) {
  ClusterCache clusters;
  const auto steps = explain(arm, clusters, {});
  EXPECT_TRUE(steps) << steps.error().text();
  return steps->front();
}

ExplainedStep traced_step_of(const std::string& rows, const std::string& more = "", int workers = 4) {
  return step_of(traced(rows, more, workers));
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

/// The first step of a graph with more columns than `traced` has.
ExplainedStep wide_step_of(const std::string& rows, const std::string& cluster,
                           const std::string& more = "") {
  const tests::ScratchFolder scratch;
  scratch.write(
      "g.csv",
      "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind,precision,group\n" +
          rows);
  const auto reading = scenario::read(
      scratch, "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\ncluster: {" +
                   cluster + "}\ntraining: {batch: 32, steps: 10}\n" + more);
  EXPECT_TRUE(reading) << reading.error().text();
  return step_of(reading->study.arms.at(0));
}

TEST(TracedRun, WorkTakesWhatTheClustersDeviceNeeds) {
  // 312 TFLOP on an A100 (312 TFLOP/s, of which 86.9 % are reached) and an H100 (989 TFLOP/s, 80.3 %)
  const std::string rows = "mm,compute,,,,,,312e12,1e9,matmul,bf16,\n";
  const auto on = [&](const std::string& device) {
    return wide_step_of(rows, "workers: 1, link: {latency: 0 s, bandwidth: 1 Gbit/s}, device: " + device)
        .step.duration.count;
  };
  EXPECT_NEAR(on("a100_sxm4_80gb_datasheet"), 1 / 0.869, 1e-9);
  EXPECT_NEAR(on("h100_sxm_datasheet"), 312.0 / 989 / 0.803, 1e-9);
}

TEST(TracedRun, TheWorkloadSaysThatDurationsArePredicted) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv",
                "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind\n"
                "mm,compute,,,,,,312e12,1e9,matmul\n");
  const auto reading = scenario::read(
      scratch,
      "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32, provenance: mine}\n"
      "cluster: {workers: 1, device: a100_sxm4_80gb_datasheet, link: {latency: 0 s, bandwidth: 1 "
      "Gbit/s}}\ntraining: {batch: 32, steps: 10}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const netmodels::Workload& workload = reading->study.arms.at(0).work.workload;
  EXPECT_EQ(workload.provenance, "mine; durations predicted by the roofline of a100_sxm4_80gb_datasheet");
  EXPECT_EQ(workload.device, "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(workload.origin, netmodels::TimeOrigin::roofline);
  EXPECT_NEAR(workload.backward(32).count, 2, 1e-9);  // without a precision, the device's first: tf32
}

TEST(TracedRun, AStackSaysWhatBothPassesReach) {
  // Megatron at 8.03 billion parameters: 65.7 % of 989 TFLOP/s in bf16, with all between the products
  const tests::ScratchFolder scratch;
  scratch.write(
      "g.csv",
      "operation,stream,duration_us,after,collective,bytes,among,flops,memory_bytes,kind,precision\n"
      "mm,compute,,,,,,989e12,1e9,matmul,bf16\nnorm,compute,,,,,,,1e12,pointwise,\n");
  const auto reading = scenario::read(
      scratch,
      "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 8030261248, batch: 1, stack: "
      "megatron-te-2025}\n"
      "cluster: {workers: 1, device: h100_sxm_datasheet, link: {latency: 0 s, bandwidth: 1 Gbit/s}}\n"
      "training: {batch: 1, steps: 10}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  const netmodels::Workload& workload = reading->study.arms.at(0).work.workload;
  EXPECT_NEAR(workload.backward(1).count, 1 / 0.657, 1e-9);
  EXPECT_EQ(
      workload.provenance,
      "stated in place; durations predicted by the utilisation of megatron-te-2025 on h100_sxm_datasheet");
}

TEST(TracedRun, GroupsThatShareALinkTakeTwiceAsLong) {
  // Two nodes of two workers, one card of 10 Gbit/s each: pairs of neighbours stay inside a node.
  const std::string cluster =
      "workers: 4, workers_per_node: 2, link: {latency: 0 ms, bandwidth: 10 Gbit/s}, "
      "inner_link: {latency: 0 ms, bandwidth: 80 Gbit/s}";
  const auto summed_in = [&](const std::string& group) {
    return wide_step_of("sum,communication,,,all_reduce,10000000,,,,,," + group + "\n", cluster)
        .step.duration.count;
  };
  EXPECT_NEAR(summed_in("0:1:2"), 2 * 5e6 / 10e9, 1e-9);        // two rounds of half of it, at 10 GB/s
  EXPECT_NEAR(summed_in("0:2:2"), 2 * 2 * 5e6 / 1.25e9, 1e-9);  // two pairs on each card, at 1.25 GB/s
}

TEST(TracedRun, QueuesShareTheLinksOfNodesAndNotThoseInside) {
  // Each sum takes 8 ms alone: two rounds of 5 MB at 1.25 GB/s; inside a node, two at 10 GB/s take 1 ms.
  const std::string cluster = "workers: 2, workers_per_node: 1, link: {latency: 0 ms, bandwidth: 10 Gbit/s}";
  const auto seconds = [&](const std::string& rows, const std::string& where) {
    const tests::ScratchFolder scratch;
    scratch.write("g.csv", "operation,stream,duration_us,after,collective,bytes,among,queue\n" + rows);
    const auto reading =
        scenario::read(scratch,
                       "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\n"
                       "cluster: {" +
                           where +
                           "}\ntraining: {batch: 32, steps: 10}\n"
                           "exchange: {collective: ring_allreduce}\n");
    EXPECT_TRUE(reading) << reading.error().text();
    ClusterCache clusters;
    return explain(reading->study.arms.at(0), clusters, {})->front().step.duration.count;
  };
  const std::string all = ",communication,,,all_reduce,10000000,all,";
  EXPECT_NEAR(seconds("a" + all + "0\n", cluster), 0.008, 1e-9);
  EXPECT_NEAR(seconds("a" + all + "0\nb" + all + "1\n", cluster), 0.016, 1e-9);
  const std::string nodes =
      "workers: 4, workers_per_node: 2, link: {latency: 0 ms, bandwidth: 10 Gbit/s}, "
      "inner_link: {latency: 0 ms, bandwidth: 80 Gbit/s}";
  const std::string inside = ",communication,,,all_reduce,10000000,node,";
  const std::string between = ",communication,,,all_reduce,5000000,nodes,";
  // two rings share each card: 2.5 MB twice, two at once
  EXPECT_NEAR(seconds("a" + inside + "0\nb" + between + "0\n", nodes), 0.001 + 0.008, 1e-9);
  EXPECT_NEAR(seconds("a" + inside + "0\nb" + between + "1\n", nodes), 0.008, 1e-9);
}

/// The step of a graph with messages, on four workers at 10 Gbit/s and 1 ms unless `cluster` says more.
ExplainedStep step_with_messages(const std::string& rows, const std::string& more = "",
                                 const std::string& cluster =
                                     "workers: 4, link: {latency: 1 ms, "
                                     "bandwidth: 10 Gbit/s}") {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", "operation,stream,duration_us,after,collective,bytes,among,group,peer\n" + rows);
  const auto reading = scenario::read(
      scratch, "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 1000000, batch: 32}\ncluster: {" +
                   cluster + "}\ntraining: {batch: 32, steps: 10}\n" + more);
  EXPECT_TRUE(reading) << reading.error().text();
  return step_of(reading->study.arms.at(0));
}

/// Ring attention on two blocks: keys go to the next rank while a block computes.
const std::string ring_attention =
    "keys,communication,,,send,10000000,all,,+1\nothers,communication,,,recv,10000000,all,,-1\n"
    "own,compute,3000,,,,,,\nother,compute,5000,1,,,,,\n";

TEST(TracedRun, AMessageToTheNextRankTakesOneTimeOfTheLink) {
  // 10 MB at 1.25 GB/s and 1 ms: 9 ms, of which 3 are hidden; then 5 ms
  for (const std::string network : {"closed", "path", "simgrid"}) {
    const ExplainedStep step = step_with_messages(ring_attention, "network: " + network + "\n");
    EXPECT_NEAR(step.step.duration.count, 0.009 + 0.005, 1e-9) << network;
    EXPECT_NEAR(step.step.parts.exchange.count, 0.006, 1e-9) << network;
    EXPECT_NEAR(step.step.sent->count, 1e7, 1e-3) << network;
  }
}

TEST(TracedRun, MessagesBetweenNodesShareTheirCards) {
  // two nodes of two: of a ring one message leaves each node; to the rank two on, both do
  const std::string nodes =
      "workers: 4, workers_per_node: 2, link: {latency: 0 ms, bandwidth: 10 Gbit/s}, "
      "inner_link: {latency: 0 ms, bandwidth: 80 Gbit/s}";
  const auto seconds = [&](const std::string& among, const std::string& peer) {
    const std::string end = "10000000," + among;
    return step_with_messages("to,communication,,,send," + end + ",+" + peer +
                                  "\nfrom,communication,,,recv," + end + ",-" + peer + "\n",
                              "", nodes)
        .step.duration.count;
  };
  EXPECT_NEAR(seconds("all,", "1"), 0.008, 1e-9);
  EXPECT_NEAR(seconds("all,", "2"), 0.016, 1e-9);
  EXPECT_NEAR(seconds("nodes,", "1"), 0.016, 1e-9);
  EXPECT_NEAR(seconds("node,", "1"), 0.001, 1e-9);
  EXPECT_NEAR(seconds(",0:2:2", "1"), 0.016, 1e-9);
}

TEST(TracedRun, WorkersOfAReplicaCountTheirSamplesOnce) {
  // 10 ms of computing on 32 samples by four workers together, two replicas
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", "operation,stream,duration_us,after,collective,bytes,among\nmm,compute,10000,,,,\n");
  const auto seconds_for = [&](const std::string& more) {
    const auto reading = scenario::read(
        scratch, "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 100, batch: 32" + more +
                     "}\ncluster: {workers: 8, link: {latency: 0 s, bandwidth: 1 Gbit/s}}\n"
                     "training: {batch: 32, samples: 6400, epochs: 1}\n");
    EXPECT_TRUE(reading) << reading.error().text();
    return testing::played(reading->study.arms.at(0), {})->whole;
  };
  const PhaseResult alone = seconds_for("");
  const PhaseResult shared = seconds_for(", workers_per_replica: 4");
  EXPECT_NEAR(alone.samples_per_second, 8 * 32 / 0.01, 1e-6);
  EXPECT_NEAR(shared.samples_per_second, 2 * 32 / 0.01, 1e-6);
  EXPECT_EQ(alone.steps, 25);
  EXPECT_EQ(shared.steps, 100);
  EXPECT_NEAR(shared.scaling_efficiency, 1, 1e-9);
}

TEST(TracedRun, ALearnerTrainsAReplicaAsOneWorker) {
  // of 8 workers two replicas: what two workers learn in as many steps
  const tests::ScratchFolder scratch;
  scratch.write("g.csv",
                "operation,stream,duration_us,after,collective,bytes,among\nmm,compute,10000,,,,\n"
                "sum,communication,,0,all_reduce,400,all\n");
  const auto learned = [&](const std::string& workers, const std::string& more) {
    const auto reading =
        scenario::read(scratch, "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 100, batch: 8" +
                                    more + "}\ncluster: {workers: " + workers +
                                    ", link: {latency: 0 s, bandwidth: 1 Gbit/s}}\nlearner: live\n"
                                    "training: {batch: 8, steps: 40}\n");
    EXPECT_TRUE(reading) << reading.error().text();
    const auto run = testing::played(reading->study.arms.at(0), {});
    return run->learning->curve.back().accuracy;
  };
  EXPECT_EQ(learned("8", ", workers_per_replica: 4"), learned("2", ""));
  EXPECT_NE(learned("8", ""), learned("2", ""));
}

TEST(TracedRun, WorkersOfAReplicaStay) {
  const tests::ScratchFolder scratch;
  scratch.write("g.csv",
                "operation,stream,duration_us,after,collective,bytes,among\nmm,compute,10000,,,,\n"
                "sum,communication,,0,all_reduce,400,all\n");
  const auto reading = scenario::read(
      scratch,
      "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 100, batch: 8, workers_per_replica: 4}\n"
      "cluster: {workers: 8, link: {latency: 0 s, bandwidth: 1 Gbit/s}, failures: [{worker: 1, at: 1 s}]}\n"
      "training: {batch: 8, steps: 400}\n");
  ASSERT_FALSE(reading);
  EXPECT_NE(reading.error().text().find("workers_per_replica"), std::string::npos) << reading.error().text();
}

TEST(TracedRun, ACompressedGradientTakesThePlaceOfItsAllReduce) {
  // A quarter of a million indices and values of 4 B each, from four workers: 0.25 MB a worker, in three
  // rounds of a ring; compressed in 3 ms.
  const ExplainedStep step = traced_step_of(summed,
                                            "exchange: {collective: ring_allgather}\n"
                                            "compression: {method: topk, ratio: 0.03125, time: 3 ms}\n");
  EXPECT_NEAR(step.step.duration.count, 0.012 + 0.003 + 3 * 0.0012 + 0.004, 1e-9);
  EXPECT_EQ(step.step.collective, "ring_allgather");
  ASSERT_EQ(step.exchanges.size(), 1U);
  EXPECT_EQ(step.exchanges[0].bucket, "bucket 1 of 1: 1000000 values");
}

TEST(TracedRun, AnAllReduceThatSumsNoGradientStaysWhole) {
  const ExplainedStep step = wide_step_of(
      "forward,compute,10000,,,,,,,,,\nsum,communication,,0,all_reduce,4000000,all,,,gradient,,\n"
      "loss,communication,,0,all_reduce,4,all,,,,,\noptimizer,compute,4000,1 2,,,,,,,,\n",
      "workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}",
      "exchange: {collective: ring_allgather}\ncompression: {method: topk, ratio: 0.03125, time: 3 ms}\n");
  ASSERT_EQ(step.exchanges.size(), 2U);
  EXPECT_EQ(step.exchanges[0].bucket, "bucket 1 of 1: 1000000 values");
  EXPECT_EQ(step.exchanges[1].bucket, "loss");
  EXPECT_EQ(step.exchanges[1].collective, "ring_allreduce");
}

TEST(TracedRun, TheCheapestAllReduceIsChosenByDefault) {
  const double any = traced_step_of(summed).step.duration.count;
  EXPECT_LE(any, traced_step_of(summed, "exchange: {collective: ring_allreduce}\n").step.duration.count);
  EXPECT_LE(any, traced_step_of(summed, "exchange: {collective: tree_allreduce}\n").step.duration.count);
}

}  // namespace
}  // namespace sim::engine
