// Configurations of training programs: what is taken, what is left out, and refusals of all formats.
#include "calibrate/imports/training_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/imports/configs.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TrainingConfigs, EachFormatHasARowWithItsSource) {
  for (const ConfigFormat& format : config_formats()) {
    EXPECT_EQ(find_config_format(format.name), &format);
    EXPECT_FALSE(format.summary.empty());
    EXPECT_FALSE(format.source.empty());
  }
  EXPECT_EQ(find_config_format("megatron"), nullptr);
}

/// What a configuration leaves to its program, as the head of a scenario says it.
std::vector<std::string> assumed(TrainingConfig config, const ConfigHints& hints) {
  EXPECT_NE(printed(config, hints), "");
  EXPECT_TRUE(print_scenario(config, hints, "folder-that-is-missing/a", "-"));
  std::vector<std::string> said;
  for (const Assumption& one : config.assumptions) said.push_back(one.option + ": " + one.sentence);
  return said;
}

TEST(TrainingConfigs, DefaultsOfTheProgramsAreSaidUnlessAnOptionStatesThem) {
  const TrainingConfig job = config_of("torchtitan", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n");
  ConfigHints hints = eight_gpus();
  EXPECT_THAT(
      assumed(job, hints),
      ElementsAre("--batch: The configuration states no batch: 8 samples are torchtitan's default",
                  "--sequence: The configuration states no `training.seq_len`: 2048 tokens are torchtitan's "
                  "default",
                  "--steps: The configuration states no `training.steps`: 10000 are torchtitan's default"));
  EXPECT_THAT(printed(job, hints),
              HasSubstr("# The configuration states no `training.seq_len`: 2048 tokens are "
                        "torchtitan's default; `--sequence` states another.\n"));
  hints.sequence = 4096;
  hints.batch = 1;
  hints.steps = 5;
  EXPECT_THAT(assumed(job, hints), ElementsAre());
  EXPECT_THAT(assumed(config_of("hf-trainer", "{}"), eight_gpus()),
              ElementsAre("--batch: The arguments state no batch: 8 samples are the Trainer's default",
                          "--steps: The configuration does not state its steps: 10 are written"));
}

TEST(TrainingConfigs, PrintingAgainGivesTheSameText) {
  TrainingConfig job = config_of("torchtitan", "[parallelism]\ntensor_parallel_degree = 2\n");
  const ConfigHints hints = eight_gpus();
  const auto first = print_scenario(job, hints, "folder-that-is-missing/a", "-");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(*first, *print_scenario(job, hints, "folder-that-is-missing/a", "-"));
}

// 64 GPUs in nodes of 8: two copies of 32 shards span four nodes each.
TEST(TrainingConfigs, CopiesThatAreNotANodeAreRefusedWithDegreesThatAre) {
  const TrainingConfig job = config_of(
      "torchtitan", "[parallelism]\ndata_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 32\n");
  ConfigHints hints = eight_gpus();
  hints.workers = 64;
  hints.cluster_node = 8;
  EXPECT_EQ(print_error(job, hints),
            "`parallelism.data_parallel_shard_degree`: a copy of the states takes 32 GPUs, and a node has 8: "
            "groups other than a node are not simulated; accepted: `data_parallel_replicate_degree` 8 with "
            "`data_parallel_shard_degree` 8, a copy for each node, or 1 with -1, one copy for all GPUs");
  const TrainingConfig fits = config_of(
      "torchtitan", "[parallelism]\ndata_parallel_replicate_degree = 8\ndata_parallel_shard_degree = 8\n");
  EXPECT_THAT(printed(fits, hints), HasSubstr("data: \"hsdp\""));
  EXPECT_THAT(printed(fits, hints), testing::Not(HasSubstr("workers_per_node"))) << "is the cluster's";
}

TEST(TrainingConfigs, OtherProgramsFormatsAreRefusedByName) {
  EXPECT_EQ(refused_config("hf-trainer", "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\n"),
            "a: a configuration of accelerate in YAML cannot be read; give its `deepspeed_config` or the "
            "arguments of the Trainer as JSON");
  EXPECT_EQ(refused_config("deepspeed", "debug: false\ndistributed_type: DEEPSPEED\n"),
            "a: a configuration of accelerate in YAML cannot be read; give its `deepspeed_config` or the "
            "arguments of the Trainer as JSON");
  EXPECT_EQ(
      refused_config("hf-trainer", "fsdp_config:\n  fsdp_version: 2\n"),
      "a: a configuration of FSDP in YAML cannot be read; give `fsdp` and `fsdp_config` as arguments of "
      "the Trainer in JSON");
  EXPECT_EQ(refused_config("torchtitan", "# Llama.\nfrom torchtitan.trainer import Trainer\n"),
            "a: a configuration of torchtitan in Python cannot be read; give the job as TOML, or state the "
            "scenario by hand");
}

TEST(TrainingConfigs, StatesThatAreNotCountedAreRefused) {
  EXPECT_EQ(
      refused_config("deepspeed", R"({"zero_optimization": {"cpu_offload_param": true}})"),
      "a:1:24: `zero_optimization.cpu_offload_param`: states in the memory of the host are not simulated; "
      "accepted: false");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": "Adam", "params": {"amsgrad": true}}})"),
            "a:1:43: `optimizer.params.amsgrad`: a third moment, of 4 bytes a parameter, is not counted; "
            "accepted: false");
  EXPECT_EQ(
      refused_config("hf-trainer", R"({"adafactor": true})"),
      "a:1:2: `adafactor`: write `optim`: factored moments take about 8 bytes a parameter less; accepted: "
      "false");
}

TEST(TrainingConfigs, WhatIsNotTakenIsListedWithItsReason) {
  const TrainingConfig read =
      config_of("hf-trainer", R"({"learning_rate": 0.1, "odd": [1], "seed": 0, "save_steps": null})");
  ASSERT_EQ(read.left_out.size(), 3U);
  EXPECT_EQ(read.left_out[0].key, "learning_rate");
  EXPECT_EQ(read.left_out[0].why, "it is about what is learned, and no figure of a step depends on it");
  EXPECT_EQ(read.left_out[1].key, "odd");
  EXPECT_EQ(read.left_out[1].value, "[1]");
  EXPECT_EQ(read.left_out[1].why, "the key is unknown: it may change the answer");
  EXPECT_TRUE(read.left_out[1].is_warning);
  EXPECT_EQ(read.left_out[2].key, "seed");
  EXPECT_THAT(
      printed(read, eight_gpus()),
      testing::StartsWith("# Scenario of a.\n# Warning: odd = [1]: the key is unknown: it may change the "
                          "answer.\n"));
}

TEST(TrainingConfigs, TwoOfThreeBatchesGiveTheThird) {
  TrainingConfig read;
  read.global_batch = 64;
  read.micro_batch = 2;
  EXPECT_THAT(printed(read, eight_gpus()), HasSubstr("training: {batch: 8, accumulation: 4,"));
  read.micro_batch.reset();
  read.accumulation = 4;
  EXPECT_THAT(printed(read, eight_gpus()), HasSubstr("training: {batch: 8, accumulation: 4,"));
}

TEST(TrainingConfigs, ShardsOfANodeAreHsdp) {
  TrainingConfig read{.micro_batch = 1, .sharding = "fsdp", .shards = 4, .copies = 2};
  ConfigHints hints = eight_gpus();
  hints.workers_per_node = 4;
  EXPECT_THAT(printed(read, hints), HasSubstr("{data: \"hsdp\","));
  hints.workers_per_node = 8;
  EXPECT_EQ(print_error(read, hints),
            "`parallelism.data_parallel_shard_degree`: a copy of the states takes 4 GPUs, and a node has 8: "
            "groups other than a node are not simulated; accepted: `data_parallel_replicate_degree` 1 with "
            "`data_parallel_shard_degree` 8, a copy for each node, or 1 with -1, one copy for all GPUs");
  hints.workers_per_node.reset();
  EXPECT_EQ(print_error(read, hints),
            "--workers-per-node: `parallelism.data_parallel_shard_degree`: a copy of the states takes 4 "
            "GPUs, and a "
            "node's are not stated; give the GPUs of a node of the job");
  read.shards = 1;
  read.copies = 8;
  EXPECT_THAT(printed(read, hints), HasSubstr("{data: \"none\","));
}

TEST(TrainingConfigs, HintsThatAreMissingOrDisagree) {
  const TrainingConfig one{.micro_batch = 1};
  const auto hinted = [](auto change) {
    ConfigHints hints = eight_gpus();
    change(hints);
    return hints;
  };
  EXPECT_EQ(
      print_error(one, hinted([](ConfigHints& hints) { hints.model.clear(); })),
      "--model: the configuration does not state the shape of the model; give a file of scenarios/workloads "
      "or a config.json, or put that beside the configuration");
  EXPECT_EQ(print_error(one, hinted([](ConfigHints& hints) { hints.stack.clear(); })),
            "--stack: the utilisation is missing; give one of --stack pytorch-fsdp-2023 and --mfu '45 %'");
  EXPECT_EQ(
      print_error(one, hinted([](ConfigHints& hints) { hints.mfu = "45 %"; })),
      "--mfu: `--stack` states the utilisation, too; give one of --stack pytorch-fsdp-2023 and --mfu '45 %'");
  EXPECT_EQ(print_error(one, hinted([](ConfigHints& hints) {
                          hints.stack.clear();
                          hints.mfu = "45, a: b";
                        })),
            "--mfu: `45, a: b` cannot be read; accepted: a share such as 45 % or 0.45");
  EXPECT_EQ(print_error(one, hinted([](ConfigHints& hints) { hints.workers.reset(); })),
            "--workers: the number of GPUs is missing; give the GPUs of the job");
  EXPECT_EQ(
      print_error({}, eight_gpus()),
      "--batch: the configuration does not state the samples of a micro-batch; give the samples that a GPU "
      "computes at once");
}

TEST(TrainingConfigs, DegreesMustMultiplyToTheWorkers) {
  EXPECT_EQ(print_error({.micro_batch = 1, .tensor = 3, .pipeline = 2}, eight_gpus()),
            "--workers: 8 GPUs cannot be parted into replicas of 6 (tensor 3 x pipeline 2); accepted: a "
            "multiple of "
            "6");
  EXPECT_EQ(print_error({.micro_batch = 1, .shards = 4, .copies = 3, .tensor = 2}, eight_gpus()),
            "--workers: 3 copies of 4 shards are not the 4 replicas of 8 GPUs; accepted: 24");
  EXPECT_EQ(
      print_error({.micro_batch = 1, .copies = 3}, eight_gpus()),
      "--workers: 3 copies of all other shards are not the 8 replicas of 8 GPUs; accepted: a multiple of 3");
  EXPECT_EQ(print_error({.accumulation = 2, .global_batch = 40}, eight_gpus()),
            "--workers: a batch of 40 cannot be shared equally by 8 replicas in 2 passes each; accepted: "
            "GPUs whose "
            "replicas times 2 divide 40");
  EXPECT_EQ(
      print_error({.micro_batch = 3, .global_batch = 40}, eight_gpus()),
      "--workers: 8 replicas with 3 samples in each of some passes are not a batch of 40; accepted: GPUs for "
      "which the stated batches agree");
  EXPECT_EQ(
      print_error({.micro_batch = 1, .secondary = 4}, eight_gpus()),
      "--workers-per-node: `zero_hpz_partition_size` shares parameters among 4 GPUs, and a node's are not "
      "stated; give the GPUs of a node of the job");
  ConfigHints in_nodes = eight_gpus();
  in_nodes.cluster_node = 8;
  EXPECT_EQ(print_error({.micro_batch = 1, .secondary = 4}, in_nodes),
            "`zero_hpz_partition_size` shares parameters among 4 GPUs, and a node has 8: groups other than a "
            "node are not simulated; accepted: 8, the GPUs of a node, or 1");
}

}  // namespace
}  // namespace calibrate::imports
