// `parallelism` and `training.accumulation`: what is accepted, each refusal, and memory in words.
#include "sim/scenario/parallelism.hpp"

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

/// Llama 2 7B on two nodes of eight H100.
std::string seven_b(const std::string& parallelism, const std::string& training = "batch: 2",
                    const std::string& more = "") {
  return "# Question?\n"
         "workload: {model: llama2_7b, device: h100_sxm_datasheet, stack: pytorch-fsdp-2023, recomputation: "
         "full}\n"
         "cluster: {workers: 16, workers_per_node: 8, link: {latency: 10 us, bandwidth: 400 Gbit/s}, "
         "inner_link: {latency: 3 us, bandwidth: 300 GB/s}}\n"
         "training: {" +
         training + ", steps: 10}\n" + (parallelism.empty() ? "" : "parallelism: {" + parallelism + "}\n") +
         more;
}

Scenario scenario_of(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

TEST(Parallelism, FsdpWithinANodeIsHsdp) {
  const Scenario scenario = scenario_of(seven_b("data: fsdp, shard_within: node"));
  EXPECT_EQ(scenario.parallelism.sharding(), netmodels::Sharding::hsdp);
  EXPECT_EQ(
      describe_sharding(scenario),
      "hsdp over 8 workers of a node by blocks, 1 gathered ahead, gathered again for the backward pass, "
      "parameters in 2 bytes, gradients in 2");
  EXPECT_EQ(describe_sharding(scenario_of(seven_b("data: zero2"))),
            "zero2 over 16 workers by blocks, parameters in 2 bytes, gradients in 2");
  EXPECT_EQ(describe_sharding(scenario_of(seven_b("data: fsdp, prefetch: 2, reshard_after_forward: false"))),
            "fsdp over 16 workers by blocks, 2 gathered ahead, kept for the backward pass, parameters in 2 "
            "bytes, gradients in 2");
}

TEST(Parallelism, MemoryHasItsParts) {
  // 6.738 G parameters on 16: 2 + 2 + 12 bytes; three blocks of 202.4 M values in 2 bytes; activations of 2
  // samples in 32 blocks of 2 s h = 33.6 MB and one of 0.63 GB; 10 bytes for 32000 logits a token
  EXPECT_EQ(describe_memory(scenario_of(seven_b("data: fsdp"))),
            "14 GB of 80 GB: 842 MB of parameters, 842 MB of gradients, 5.05 GB of optimizer states, 1.21 GB "
            "of gathered blocks, 3.41 GB of activations, 2.62 GB of logits");
}

TEST(Parallelism, AccumulationHalvesActivations) {
  const auto activations = [](const std::string& training) {
    return needed_memory(scenario_of(seven_b("data: fsdp", training)))->activations.count;
  };
  EXPECT_DOUBLE_EQ(activations("batch: 8, accumulation: 4"), activations("batch: 2"));
}

TEST(Parallelism, AccumulationSpendsFixedTimeInEachMicroBatch) {
  // the fixed part of pytorch-fsdp-2023 is that of 1000 tokens in each micro-batch
  const Scenario whole = scenario_of(seven_b("data: fsdp", "batch: 8"));
  const Scenario cut = scenario_of(seven_b("data: fsdp", "batch: 8, accumulation: 4"));
  const netmodels::Seconds micro = whole.workload.compute(2);
  EXPECT_NEAR(cut.workload.compute(8).count, 4 * micro.count, 1e-9);
  EXPECT_GT(cut.workload.compute(8), whole.workload.compute(8));
}

TEST(Parallelism, RefusesStatesBeyondTheMemoryWithWhatFits) {
  EXPECT_EQ(
      refusal(seven_b("")),
      "s.yaml:2:11: `workload`: parameters, gradients and optimizer states take 108 GB on each worker, and "
      "h100_sxm_datasheet has 80 GB; fits with `parallelism.data`: `zero1` (32 GB), `zero2` (19.4 GB), "
      "`hsdp` (14.7 GB), `fsdp` (7.95 GB)");
  const std::string seventy =
      "# Question?\n"
      "workload: llama2_70b\n"
      "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
      "training: {batch: 1, steps: 10}\n"
      "parallelism: {data: fsdp}\n";
  EXPECT_EQ(refusal(seventy),
            "s.yaml:5:21: `parallelism.data`: parameters, gradients and optimizer states take 281 GB on each "
            "worker, and h100_sxm_datasheet has 80 GB; fits with `data: fsdp` on 15 "
            "workers or more");  // 16 bytes x 68 976 648 192 over 80 GB - 6 bytes x 855 654 400
}

TEST(Parallelism, WarnsOfActivationsBeyondTheMemory) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, seven_b("data: fsdp", "batch: 28"));
  ASSERT_TRUE(reading) << reading.error().text();
  ASSERT_EQ(reading->study.warnings.size(), 1U);
  EXPECT_NE(reading->study.warnings[0].find("the training may not fit into memory: 92.3 GB of 80 GB: 842 MB"),
            std::string::npos)
      << reading->study.warnings[0];
}

TEST(Parallelism, GradientsOfWholeModelsHaveAWidthOfTheirOwn) {
  const auto warnings = [](const std::string& bytes) {
    const tests::ScratchFolder scratch;
    const auto reading = read(scratch,
                              "# Question?\n"
                              "workload: gpt2\n"
                              "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 10 Gbit/s}}\n"
                              "training: {batch: 2, steps: 10}\n"
                              "parallelism: {gradient_bytes: " +
                                  bytes + "}\n");
    EXPECT_TRUE(reading) << reading.error().text();
    return reading->study.warnings;
  };
  ASSERT_EQ(warnings("2").size(), 1U);
  EXPECT_NE(
      warnings("2")[0].find("s.yaml:5:31: without `parallelism.data` gradients are sent in 4 bytes, not in "
                            "2; `compression: {method: bf16}` sends them in 2"),
      std::string::npos)
      << warnings("2")[0];
  EXPECT_TRUE(warnings("4").empty());
}

TEST(Parallelism, RefusesActivationsThatCannotFit) {
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 64")),
      "s.yaml:4:19: `training.batch`: a micro-batch of 64 keeps 193 GB of activations beside 7.95 GB of "
      "states, "
      "and h100_sxm_datasheet has 80 GB; a micro-batch of 23 fits (`training.accumulation` cuts a batch); "
      "`recomputation: full` keeps fewer activations");
}

TEST(Parallelism, RefusesWhatShardingCannotBeCombinedWith) {
  EXPECT_EQ(refusal(seven_b("data: zero1, shard_within: node")),
            "s.yaml:5:42: `parallelism.shard_within`: `zero1` shares states among all workers; write `data: "
            "fsdp`, or leave out `shard_within`");
  EXPECT_EQ(
      refusal(seven_b("data: hsdp, shard_within: all")),
      "s.yaml:5:41: `parallelism.shard_within`: `hsdp` shares states within a node; write `data: fsdp`, or "
      "`shard_within: node`");
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 2", "compression: {method: topk, ratio: 0.01}\n")),
      "s.yaml:6:23: `compression.method`: `topk` compresses gradients that are summed whole, not by shards; "
      "write `method: none`, or leave out `parallelism`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "exchange: {bucket: 10 MiB}\n")),
            "s.yaml:6:20: `exchange.bucket`: it is about gradients in buckets, and sharded steps exchange "
            "blocks; leave it out, or leave out `parallelism`");
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2", "exchange: {collective: ring_allreduce}\n")),
            "s.yaml:6:24: `exchange.collective`: sharded steps run all-gathers and reduce-scatters by rings; "
            "leave it out, or name a `library`");
  EXPECT_EQ(refusal(seven_b("data: fsdp, unit: layer")),
            "s.yaml:5:33: `parallelism.unit`: unknown value `layer`; accepted: block");
}

TEST(Parallelism, RefusesClustersAndPoliciesThatBreakShards) {
  const auto in_cluster = [](const std::string& more) {
    std::string text = seven_b("data: hsdp");
    const std::string end = "300 GB/s}";
    return refusal(text.insert(text.find(end) + end.size(), more));
  };
  EXPECT_EQ(
      in_cluster(", failures: [{worker: 1, at: 3 s}]"),
      "s.yaml:3:152: `cluster.failures`: a lost worker takes its shards along; leave out `failures`, or "
      "`parallelism`");
  EXPECT_EQ(in_cluster(", failures: [{link: node0, at: 3 s, until: 4 s}]"), "accepted");
  EXPECT_EQ(
      in_cluster(", collective_times: t.csv"),
      "s.yaml:3:160: `cluster.collective_times`: collectives within nodes were not measured; leave it out, "
      "or write `data: fsdp`");
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 2", "synchronisation: {method: periodic, every: 4}\n")),
      "s.yaml:6:18: `synchronisation`: shards are of one model, which workers exchange in every step; write "
      "`synchronisation: bsp`, or leave out `parallelism`");
}

TEST(Parallelism, CyclesOfAnExchangeHaveNoMicroBatches) {
  EXPECT_EQ(
      refusal("# Question?\n"
              "workload: gpt2_xl\n"
              "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
              "training: {batch: 4, steps: 10, accumulation: 2}\n"
              "exchange: {execution: horovod_fusion}\n"),
      "s.yaml:4:47: `training.accumulation`: cycles of an exchange are timed for whole batches; leave it "
      "out, or write another `exchange.execution`");
}

TEST(Parallelism, AcceptsDefaultsThatAreWrittenOut) {
  EXPECT_EQ(refusal(seven_b("data: fsdp", "batch: 2",
                            "compression: {method: none, policy: fixed}\nexchange: {collective: auto}\n")),
            "accepted");
}

TEST(Parallelism, RefusesShardsThatDoNotFitTheCluster) {
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 1, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 1, steps: 10}\n"
                    "parallelism: {data: fsdp}\n"),
            "s.yaml:5:21: `parallelism.data`: `fsdp` shares states among workers, and there is one; write "
            "`cluster.workers` of at least 2, or leave out `parallelism`");
  EXPECT_EQ(refusal("# Question?\n"
                    "workload: gpt2_xl\n"
                    "cluster: {workers: 4, link: {latency: 10 us, bandwidth: 400 Gbit/s}}\n"
                    "training: {batch: 1, steps: 10}\n"
                    "parallelism: {data: hsdp}\n"),
            "s.yaml:5:14: `parallelism`: states are shared within a node, and nodes have 1 worker; write "
            "`cluster.workers_per_node` of at least 2, or `data: fsdp`");
  EXPECT_EQ(
      refusal(least + "parallelism: {data: fsdp}\n"),
      "s.yaml:5:21: `parallelism.data`: the workload `tiny` has no blocks that could be gathered; describe "
      "the model by `transformer`, `config` or `model`, or leave out `parallelism`");
}

TEST(Parallelism, RefusesMicroBatchesThatDoNotDivideTheBatch) {
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 6, accumulation: 4")),
      "s.yaml:4:36: `training.accumulation`: 4 micro-batches do not divide a batch of 6; write a divisor of "
      "`batch`, which counts the samples of all micro-batches");
  EXPECT_EQ(
      refusal(seven_b("data: fsdp", "batch: 6, accumulation: 0")),
      "s.yaml:4:36: `training.accumulation`: `0` is too small; accepted: at least 1 and at most 1000000");
}

}  // namespace
}  // namespace sim::scenario
