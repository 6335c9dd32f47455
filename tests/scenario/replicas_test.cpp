// `parallelism.tensor` and `pipeline`: what is simulated in place of all GPUs, and each refusal.
#include "sim/scenario/replicas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/parallelism.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::HasSubstr;

/// Llama 2 13B, 40 blocks, on four nodes of eight A100 with 200 Gbit/s each.
std::string thirteen_b(const std::string& parallelism,
                       const std::string& training = "batch: 8, accumulation: 8",
                       const std::string& cluster = "") {
  return "# Question?\n"
         "workload: {model: llama2_13b, device: a100_sxm4_80gb_datasheet, mfu: 50 %, batch: 1}\n"
         "cluster: {workers: 32, workers_per_node: 8, link: {latency: 5 us, bandwidth: 200 Gbit/s}, "
         "inner_link: {latency: 2 us, bandwidth: 240 GB/s}" +
         cluster +
         "}\n"
         "training: {" +
         training + ", steps: 10}\nparallelism: {" + parallelism + "}\n";
}

Scenario replica_scenario(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto reading = read(scratch, text);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

TEST(Replicas, ATensorGroupSharesTheLinkOfItsNode) {
  const Scenario scenario = replica_scenario(thirteen_b("tensor: 4"));
  EXPECT_EQ(scenario.cluster.workers, 8);
  EXPECT_EQ(scenario.cluster.workers_per_node, 2);
  EXPECT_DOUBLE_EQ(scenario.cluster.link.bandwidth.count, 200e9 / 8 / 4);
  EXPECT_DOUBLE_EQ(scenario.cluster.inner_link->bandwidth.count, 240e9);
  const Scenario whole = replica_scenario(thirteen_b("tensor: 1, data: fsdp"));
  EXPECT_NEAR(static_cast<double>(scenario.work.workload.parameters()),
              static_cast<double>(whole.work.workload.parameters()) / 4, 1000);
}

TEST(Replicas, StagesThatFillNodesLieOnNodesOfTheirOwn) {
  const Scenario scenario = replica_scenario(thirteen_b("tensor: 8, pipeline: 2"));
  EXPECT_EQ(scenario.cluster.workers, 2);
  EXPECT_EQ(scenario.cluster.workers_per_node, 1);
  // Two GPUs of a stage fit into a node of eight beside those of other stages.
  const Scenario inside = replica_scenario(thirteen_b("tensor: 2, pipeline: 8"));
  EXPECT_EQ(inside.cluster.workers, 2);
  EXPECT_EQ(inside.cluster.workers_per_node, 2);
}

// GPUs 0 and 1 are a tensor group, with 4 and 5 of the second stage a replica; 2, 3, 6 and 7 are the other.
TEST(Replicas, AReplicaIsAsFastAsItsSlowestGpu) {
  std::string text = thirteen_b("tensor: 2, pipeline: 2", "batch: 8, accumulation: 8",
                                ", speeds: [1, 1, 0.9, 1, 0.5, 1, 1, 0.8]");
  text.replace(text.find("workers: 32, workers_per_node: 8"), 32, "workers: 8, workers_per_node: 4");
  const Scenario scenario = replica_scenario(text);
  ASSERT_EQ(scenario.cluster.speeds.size(), 2U);
  const double whole = scenario.work.workload.compute(8).count;
  const double exchanges = scenario.work.workload.replica->exchanges.at(8).count;
  EXPECT_GT(exchanges, 0);  // which take as long on a slow GPU
  EXPECT_NEAR(whole / scenario.cluster.speeds[0], (whole - exchanges) / 0.5 + exchanges, 1e-12);
  EXPECT_NEAR(whole / scenario.cluster.speeds[1], (whole - exchanges) / 0.8 + exchanges, 1e-12);
}

TEST(Replicas, TimeOfATensorGroupIsThatOfRings) {
  // 40 x 4 + 2 all-reduces of 4096 x 5120 values in 2 bytes among 4: 2 x 3 (2 us + 10.49 MB / 240 GB/s)
  const Scenario scenario = replica_scenario(thirteen_b("tensor: 4", "batch: 1"));
  const double ring = 6 * (2e-6 + 4096.0 * 5120 * 2 / 4 / 240e9);
  EXPECT_NEAR(scenario.work.workload.replica->exchanges.at(1).count, 162 * ring, 1e-9);
  EXPECT_THAT(describe_replica(scenario.work.workload, batch_of(scenario.work.training, 0),
                               scenario.work.parallelism.inside()),
              HasSubstr("a replica is 4 GPUs (tensor 4, pipeline 1): "));
}

TEST(Replicas, DescribesBubbles) {
  const Scenario scenario = replica_scenario(thirteen_b("tensor: 4, pipeline: 2"));
  EXPECT_THAT(describe_replica(scenario.work.workload, batch_of(scenario.work.training, 0),
                               scenario.work.parallelism.inside()),
              HasSubstr("(tensor 4, pipeline 2): "));
  EXPECT_THAT(describe_replica(scenario.work.workload, batch_of(scenario.work.training, 0),
                               scenario.work.parallelism.inside()),
              HasSubstr(" wait for the pipeline"));
}

TEST(Replicas, RefusesDegreesThatDoNotFit) {
  EXPECT_EQ(refusal(thirteen_b("tensor: 3")),
            "s.yaml:5:23: `parallelism.tensor`: groups of 3 GPUs do not fill nodes of 8; write a divisor of "
            "`cluster.workers_per_node`");
  std::string odd = thirteen_b("tensor: 8");
  odd.replace(odd.find("llama2_13b"), 10, "gpt2_xl");
  EXPECT_EQ(
      refusal(odd),
      "s.yaml:5:23: `parallelism.tensor`: 8 GPUs cannot share the 25 heads of `gpt2_xl` equally; write a "
      "divisor of the heads");
  EXPECT_EQ(
      refusal(thirteen_b("tensor: 8, pipeline: 5")),
      "s.yaml:5:14: `parallelism`: 32 GPUs are not a multiple of tensor x pipeline = 8 x 5 = 40; write a "
      "multiple as `cluster.workers`");
  EXPECT_EQ(
      refusal(thirteen_b("pipeline: 16")),
      "s.yaml:5:25: `parallelism.pipeline`: 40 blocks cannot be cut into 16 equal parts; write a divisor "
      "of the blocks");
  EXPECT_EQ(
      refusal(thirteen_b("tensor: 8, pipeline: 4, interleave: 3")),
      "s.yaml:5:36: `parallelism.pipeline`: 40 blocks cannot be cut into 12 equal parts; write a divisor "
      "of the blocks");
  EXPECT_EQ(refusal(thirteen_b("pipeline: 4, interleave: 2", "batch: 6, accumulation: 6")),
            "s.yaml:5:40: `parallelism.interleave`: 6 micro-batches are not a multiple of 4 stages; write a "
            "multiple as `training.accumulation`, or leave out `interleave`");
  EXPECT_EQ(refusal(thirteen_b("tensor: 4, interleave: 2")),
            "s.yaml:5:38: `parallelism.interleave`: `interleave` needs several stages; write "
            "`pipeline` of at least 2, or leave it out");
}

TEST(Replicas, RefusesModelsAndClustersThatAreNotAlike) {
  EXPECT_THAT(
      refusal(least + "parallelism: {tensor: 2}\n"),
      HasSubstr("`parallelism`: the workload `tiny` has no blocks that GPUs could share; describe the "
                "model by `transformer`, `config` or `model`, or leave out `tensor` and `pipeline`"));
  EXPECT_THAT(
      refusal(thirteen_b("tensor: 4", "batch: 8", ", failures: [{link: node0, at: 3 s, until: 4 s}]")),
      HasSubstr("`cluster.failures` needs workers of one GPU each; `parallelism.tensor: 4` makes them of "
                "several; leave out `parallelism.tensor` or `cluster.failures`"));
}

TEST(Replicas, EveryGpuBelongsToOneReplica) {
  const Scenario scenario = replica_scenario(thirteen_b("tensor: 2, pipeline: 2"));
  const auto gpus = gpus_of_replicas(scenario.stated->cluster->workers, scenario.cluster.workers,
                                     scenario.work.parallelism.inside());
  ASSERT_EQ(gpus.size(), 8U);
  EXPECT_THAT(gpus[0], testing::ElementsAre(0, 1, 16, 17));
  EXPECT_THAT(gpus[7], testing::ElementsAre(14, 15, 30, 31));
  EXPECT_FALSE(replica_scenario(thirteen_b("data: fsdp")).stated->cluster);
}

TEST(Replicas, ListsOfWorkersThatAreNotTranslatedAreRefused) {
  EXPECT_THAT(refusal(thirteen_b("tensor: 4") + "streams: {rates: [4, 4]}\n"),
              HasSubstr("`streams` needs workers of one GPU each; `parallelism.tensor: 4` makes them of "
                        "several; leave out `parallelism.tensor` or `streams`"));
  EXPECT_THAT(refusal(thirteen_b("tensor: 4") + "compute: {batch_limits: [{knee: 4}]}\n"),
              HasSubstr("`compute.batch_limits` needs workers of one GPU each; `parallelism.tensor: 4` makes "
                        "them of several; leave out `parallelism.tensor` or `compute.batch_limits`"));
}

TEST(Replicas, InputsOfProductsMayBeAddedUpApart) {
  const auto exchanges = [](const std::string& keys) {
    return replica_scenario(thirteen_b(keys)).work.workload.replica->exchanges.at(8).count;
  };
  const double shared = exchanges("tensor: 8");
  EXPECT_DOUBLE_EQ(exchanges("tensor: 8, shared_inputs: true"), shared);
  // forward 2 of each of the 40 blocks and one of the embedding; backward 2 or 5 of each, and one of the head
  EXPECT_NEAR(exchanges("tensor: 8, shared_inputs: false") / shared, (40.0 * 7 + 2) / (40 * 4 + 2), 1e-9);
}

// Llama 2 13B's embedding of 32 000 x 5120 values: 7/8 of it more in 2 + 2 + 12 bytes.
TEST(Replicas, AnEmbeddingThatIsWholeTakesMemoryOfTheFirstStage) {
  const auto states = [](const std::string& keys) {
    return needed_memory(replica_scenario(thirteen_b("tensor: 8, pipeline: 2, " + keys)))->states().count;
  };
  EXPECT_NEAR(states("split_embedding: false") - states("split_embedding: true"), 16 * 32000.0 * 5120 * 7 / 8,
              2e4);
}

TEST(Replicas, KeysOfATensorGroupAreRefusedWhereThereIsNone) {
  for (const char* key : {"sequence_parallel", "split_embedding", "shared_inputs"})
    EXPECT_THAT(
        refusal(thirteen_b(std::string("pipeline: 4, ") + key + ": false")),
        HasSubstr(
            std::string("`parallelism.") + key +
            ": false` needs GPUs that share each layer, and nothing provides it; leave it out, or write "
            "`parallelism.tensor`"));
}

TEST(Replicas, AnotherLinkChangesTheMessagesOfAPipeline) {
  const std::string stages = "tensor: 8, pipeline: 4";
  Scenario scenario = replica_scenario(thirteen_b(stages));
  std::string slow = thirteen_b(stages);
  slow.replace(slow.find("200 Gbit/s"), 10, "10 Gbit/s");
  const Scenario stated = replica_scenario(slow);
  const Scenario before = scenario;
  EXPECT_DOUBLE_EQ(share_of_link(*scenario.stated, scenario.work.parallelism), 1.0 / 8);
  replace_link(scenario, stated.cluster.link);
  EXPECT_EQ(scenario.cluster.link, stated.cluster.link);
  const auto exchanges = [](const Scenario& one) { return one.work.workload.replica->exchanges.at(8).count; };
  EXPECT_NEAR(exchanges(scenario), exchanges(stated), 1e-12);
  EXPECT_GT(exchanges(scenario), exchanges(before));
  EXPECT_NEAR(scenario.work.workload.compute(8).count, stated.work.workload.compute(8).count, 1e-12);
  Scenario single = replica_scenario(thirteen_b("data: fsdp"));
  EXPECT_EQ(share_of_link(*single.stated, single.work.parallelism), 1);
  replace_link(single, stated.cluster.link);
  EXPECT_EQ(single.cluster.link, stated.cluster.link);
}

TEST(Replicas, APipelineOverASlowLinkIsWarnedOfWithTheLink) {
  const std::string stages = "tensor: 8, pipeline: 4";
  EXPECT_THAT(study(thirteen_b(stages)).warnings, testing::IsEmpty());
  std::string slow = thirteen_b(stages);
  slow.replace(slow.find("link: {latency: 5 us, bandwidth: 200 Gbit/s}"), 44,
               "link: {latency: 20 ms, bandwidth: 1 Gbit/s}");
  const std::vector<std::string> warnings = study(slow).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(
      warnings[0],
      testing::AllOf(
          HasSubstr("s.yaml:5:36: the boundary between two of the 4 stages of the pipeline is the link "
                    "between nodes, 1 Gbit/s with 20 ms, of which a GPU has "
                    "125 Mbit/s while all of its node send: its messages take "),
          HasSubstr("; where nodes are sites, keep a replica inside one of them (`tensor`), or share states "
                    "in place of the pipeline (`data: fsdp`)")));
}

}  // namespace
}  // namespace sim::scenario
