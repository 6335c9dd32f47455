// Configurations of training programs: what is taken, what is left out, and each refusal.
#include "calibrate/imports/training_config.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TrainingConfig config_of(const char* format, const std::string& text) {
  const auto read = find_config_format(format)->read(text, "a");
  EXPECT_TRUE(read) << read.error().text();
  return read ? *read : TrainingConfig{};
}

std::string refused_config(const char* format, const std::string& text) {
  const auto read = find_config_format(format)->read(text, "a");
  EXPECT_FALSE(read);
  return read ? "" : read.error().text();
}

ConfigHints eight_gpus() {
  return {.cluster = "nvidia_dgx_h100",
          .workers = 8,
          .device = "h100_sxm_datasheet",
          .stack = "pytorch-fsdp-2023",
          .model = "llama2_7b"};
}

std::string printed(TrainingConfig config, const ConfigHints& hints) {
  const auto text = print_scenario(config, hints, "folder-that-is-missing/a", "-");
  EXPECT_TRUE(text) << text.error().text();
  return text ? *text : "";
}

std::string print_error(TrainingConfig config, const ConfigHints& hints) {
  const auto text = print_scenario(config, hints, "folder-that-is-missing/a", "-");
  EXPECT_FALSE(text);
  return text ? "" : text.error().text();
}

/// Keys that a scenario warns of.
std::vector<std::string> warned_keys(const TrainingConfig& config) {
  std::vector<std::string> keys;
  for (const LeftOutKey& one : config.left_out)
    if (one.is_warning) keys.push_back(one.key);
  return keys;
}

TEST(TrainingConfigs, EachFormatHasARowWithItsSource) {
  for (const ConfigFormat& format : config_formats()) {
    EXPECT_EQ(find_config_format(format.name), &format);
    EXPECT_FALSE(format.summary.empty());
    EXPECT_FALSE(format.source.empty());
  }
  EXPECT_EQ(find_config_format("megatron"), nullptr);
}

// FSDP2 keeps one fp32 copy: 4 bytes, gathered in 2; Adam 8; gradients summed in 4: 16 bytes a parameter.
TEST(TrainingConfigs, TorchtitansDefaultsAreThoseOfItsSource) {
  const TrainingConfig read = config_of("torchtitan", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n");
  EXPECT_EQ(read.model, "llama3_8b");
  EXPECT_EQ(read.sharding, "fsdp");
  EXPECT_EQ(read.micro_batch, 8);
  EXPECT_EQ(read.sequence, 2048);
  EXPECT_EQ(read.steps, 10000);
  EXPECT_EQ(read.recomputation, "every_second_product");
  EXPECT_THAT(read.facts,
              testing::Contains("`activation_checkpoint.selective_ac_option` is not stated: taken as "
                                "`op`, every second matrix product; earlier releases take every second "
                                "block instead."));
  EXPECT_EQ(read.parameter_bytes + read.gradient_bytes + read.optimizer_bytes, 16);
  EXPECT_TRUE(read.reshard_after_forward);
}

TEST(TrainingConfigs, SayHowTheDenseStepsOfOneBitOptimizersAreAdded) {
  const auto facts = [](const std::string& optimizer) {
    return config_of("deepspeed", "{\"optimizer\": " + optimizer + "}").facts;
  };
  EXPECT_THAT(
      facts(R"({"type": "OneBitAdam", "params": {"freeze_step": 400}})"),
      testing::Contains("`OneBitAdam` sends signs after 400 dense steps, which the scenario leaves out; "
                        "`compression.warm_up: {shape: dense, steps: 400}` adds them."));
  EXPECT_THAT(
      facts(R"({"type": "OneBitLamb"})"),
      testing::Contains("`OneBitLamb` sends signs after its warm-up of dense steps, which the scenario "
                        "leaves out."));
}

TEST(TrainingConfigs, TorchtitanRecomputesByOperatorsOrByBlocks) {
  const auto recomputation = [](const std::string& keys) {
    return config_of("torchtitan", "[activation_checkpoint]\n" + keys).recomputation;
  };
  EXPECT_EQ(recomputation("mode = \"selective\"\nselective_ac_option = \"op\"\n"), "every_second_product");
  EXPECT_EQ(recomputation("mode = \"selective\"\nselective_ac_option = \"1\"\n"), "full");
  EXPECT_EQ(recomputation("mode = \"full\"\nselective_ac_option = \"2\"\n"), "full");
  EXPECT_EQ(recomputation("mode = \"none\"\n"), "none");
}

// The defaults are DeepSpeed's. A scenario counts the change since the last exchange beside the two moments.
TEST(TrainingConfigs, TakeTheScheduleOfZeroOneAdam) {
  const TrainingConfig read = config_of("deepspeed", R"({"optimizer": {"type": "ZeroOneAdam", "params": {
      "lr": 1e-3, "var_freeze_step": 1000, "var_update_scaler": 8, "cuda_aware": false}}})");
  EXPECT_EQ(read.compression, "onebit_adam");
  EXPECT_EQ(read.synchronisation,
            "{method: zero_one, freeze_after: 1000, variance_doubles_every: 8, local_doubles_every: 32678, "
            "local_limit: 16}");
  EXPECT_EQ(read.optimizer_bytes, 8);
  EXPECT_THAT(
      read.facts,
      testing::Contains("`ZeroOneAdam` sends whole gradients in the first 8 steps, then ever more rarely, "
                        "and nothing in some steps after 1000: `--steps` says how many of each count."));
  EXPECT_EQ(
      config_of("deepspeed", R"({"optimizer": {"type": "ZeroOneAdam"}})").synchronisation,
      "{method: zero_one, freeze_after: 100000, variance_doubles_every: 16, local_doubles_every: 32678, "
      "local_limit: 16}");
}

// DDP under autocast: parameters, gradients and their sums in fp32, Adam 8.
TEST(TrainingConfigs, TorchtitanWithoutShardsIsDdpInFp32) {
  const TrainingConfig read = config_of(
      "torchtitan", "[parallelism]\ndata_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 8\n");
  EXPECT_EQ(read.sharding, "none");
  EXPECT_EQ(read.precision, "bf16");
  EXPECT_EQ(read.parameter_bytes, 4);
  EXPECT_EQ(read.gradient_bytes, 4);
  EXPECT_EQ(read.optimizer_bytes, 8);
}

TEST(TrainingConfigs, TorchtitanPipelinesKeepGatheredParameters) {
  const TrainingConfig read =
      config_of("torchtitan",
                "[training]\nlocal_batch_size = 16\n[parallelism]\npipeline_parallel_degree = 4\n"
                "pipeline_parallel_microbatch_size = 2\n");
  EXPECT_FALSE(read.reshard_after_forward);
  EXPECT_EQ(read.pipeline_parts, 8);
  ConfigHints hints = eight_gpus();
  hints.workers = 16;
  EXPECT_THAT(printed(read, hints), HasSubstr("training: {batch: 16, accumulation: 8, steps: 10000}\n"
                                              "parallelism: {data: \"fsdp\", reshard_after_forward: false, "
                                              "pipeline: 4, "));
}

TEST(TrainingConfigs, TorchtitanDegreesOfEarlierReleasesAreRead) {
  const TrainingConfig read =
      config_of("torchtitan",
                "[training]\nbatch_size = 4\ntensor_parallel_degree = 2\n[experimental]\n"
                "pipeline_parallel_degree = 2\n");
  EXPECT_EQ(read.micro_batch, 4);
  EXPECT_EQ(read.tensor, 2);
  EXPECT_EQ(read.pipeline, 2);
}

TEST(TrainingConfigs, TorchtitanFloat8IsArithmeticAndGathers) {
  const TrainingConfig read = config_of(
      "torchtitan", "[model]\nconverters = [\"float8\"]\n[float8]\nenable_fsdp_float8_all_gather = true\n");
  EXPECT_EQ(read.precision, "fp8");
  EXPECT_THAT(read.compress, ElementsAre("fp8"));
}

// torchtitan reads the table only where the converter is named.
TEST(TrainingConfigs, TorchtitanWithoutTheConverterHasNoFloat8) {
  for (const std::string table : {"float8", "quantize.linear.float8"}) {
    const TrainingConfig read = config_of(
        "torchtitan", "[" + table +
                          "]\nenable_fsdp_float8_all_gather = true\nprecompute_float8_dynamic_scale_for_"
                          "fsdp = false\nrecipe_name = \"rowwise\"\n");
    EXPECT_EQ(read.precision, "bf16");
    EXPECT_THAT(read.compress, ElementsAre());
    EXPECT_THAT(warned_keys(read), ElementsAre());
    ASSERT_EQ(read.left_out.size(), 3U);
    EXPECT_EQ(read.left_out[0].why, "nothing without `" + table + "` in `model.converters`");
  }
  EXPECT_EQ(config_of("torchtitan", "[float8]\nenable_float8_linear = true\n").precision, "fp8");
}

// A share of the sums in fp32 in place of two bytes at stages 2 and 3: 12 + 2.
TEST(TrainingConfigs, DeepSpeedsTypeOfSumsCountsInMemory) {
  const auto with = [](int stage, const std::string& type) {
    return "{\"bf16\": {\"enabled\": true}, \"data_types\": {\"grad_accum_dtype\": \"" + type +
           "\"}, \"zero_optimization\": {\"stage\": " + std::to_string(stage) + "}}";
  };
  EXPECT_EQ(config_of("deepspeed", with(2, "fp32")).optimizer_bytes, 14);
  EXPECT_EQ(config_of("deepspeed", with(3, "fp32")).optimizer_bytes, 14);
  EXPECT_EQ(config_of("deepspeed", with(3, "fp32")).gradient_bytes, 2);
  EXPECT_EQ(config_of("deepspeed", with(3, "bf16")).optimizer_bytes, 12);
  EXPECT_EQ(config_of("deepspeed", with(0, "bf16")).optimizer_bytes, 12);
  EXPECT_EQ(
      refused_config("deepspeed", with(1, "fp32")),
      "a: `data_types.grad_accum_dtype`: gradients that are added up whole in another type than they are "
      "sent in; accepted: `zero_optimization.stage` 2 or 3 with fp32, or the type of "
      "`communication_data_type`");
  EXPECT_EQ(config_of("hf-trainer",
                      R"({"bf16": true, "deepspeed": {"bf16": {"enabled": "auto"},
                          "data_types": {"grad_accum_dtype": "fp32"}, "zero_optimization": {"stage": 2}}})")
                .optimizer_bytes,
            14);
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

// Since mid 2025 the table is nested: https://github.com/pytorch/torchtitan, job_config.py.
TEST(TrainingConfigs, TorchtitanFloat8OfTheNestedTableIsRead) {
  const TrainingConfig read =
      config_of("torchtitan",
                "[model]\nconverters = [\"quantize.linear.float8\"]\n[quantize.linear.float8]\n"
                "enable_fsdp_float8_all_gather = true\nprecompute_float8_dynamic_scale_for_fsdp = false\n");
  EXPECT_EQ(read.precision, "fp8");
  EXPECT_THAT(read.compress, ElementsAre("fp8"));
  ASSERT_EQ(read.left_out.size(), 1U);
  EXPECT_TRUE(read.left_out[0].is_warning);
  EXPECT_EQ(refused_config("torchtitan", "[model]\nconverters = [\"mx\"]\n"),
            "a: `model.converters`: `mx`: such products are not described; accepted: float8, "
            "quantize.linear.float8");
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

TEST(TrainingConfigs, KeysOfAcceleratesFsdpAreThoseOfTheTrainer) {
  const TrainingConfig read = config_of("hf-trainer", R"({"bf16": true, "fsdp": "full_shard", "fsdp_config": {
      "fsdp_version": 2, "fsdp_reshard_after_forward": false, "fsdp_activation_checkpointing": true}})");
  EXPECT_FALSE(read.reshard_after_forward);
  EXPECT_EQ(read.recomputation, "full");
  EXPECT_FALSE(config_of("hf-trainer", R"({"fsdp": true, "fsdp_config": {"reshard_after_forward":
      "SHARD_GRAD_OP"}})")
                   .reshard_after_forward);
}

TEST(TrainingConfigs, KeysOfAcceleratesFsdpAreNamedAsTheFileStatesThem) {
  EXPECT_EQ(refused_config("hf-trainer", R"({"fsdp_config": {"fsdp_offload_params": true}})"),
            "a: `fsdp_config.fsdp_offload_params`: states in the memory of the host are not simulated; "
            "accepted: false");
  const TrainingConfig read = config_of(
      "hf-trainer", R"({"fsdp": true, "fsdp_config": {"fsdp_forward_prefetch": false, "fsdp_odd": 1}})");
  EXPECT_THAT(warned_keys(read), ElementsAre("fsdp_config.fsdp_forward_prefetch", "fsdp_config.fsdp_odd"));
  EXPECT_EQ(refused_config("hf-trainer", R"({"fsdp_config": {"version": 1, "fsdp_version": 2}})"),
            "a: `fsdp_config.fsdp_version`: `fsdp_config.version` states it, too; accepted: one of them");
}

TEST(TrainingConfigs, TorchtitanRefusals) {
  EXPECT_EQ(refused_config("torchtitan", "[training]\nenable_cpu_offload = true\n"),
            "a: `training.enable_cpu_offload`: states in the memory of the host are not simulated; accepted: "
            "false");
  EXPECT_EQ(
      refused_config("torchtitan", "[parallelism]\ncontext_parallel_degree = 4\n"),
      "a: `parallelism.context_parallel_degree`: attention shared along the sequence over 4 GPUs is not "
      "simulated; accepted: 1");
  EXPECT_EQ(refused_config("torchtitan", "[parallelism]\ndata_parallel_shard_degree = 0\n"),
            "a: `parallelism.data_parallel_shard_degree`: 0 is out of range; accepted: -1, and 1 or more");
  EXPECT_EQ(refused_config("torchtitan", "[parallelism]\ntensor_parallel_degree = \"2\"\n"),
            "a: `parallelism.tensor_parallel_degree`: \"2\" is out of range; accepted: 1 to 1000000");
  EXPECT_EQ(refused_config("torchtitan", "[activation_checkpoint]\nmode = \"sometimes\"\n"),
            "a: `activation_checkpoint.mode`: `sometimes` cannot be read; accepted: none, selective, full");
  EXPECT_EQ(
      refused_config("torchtitan", "[activation_checkpoint]\nselective_ac_option = \"2\"\n"),
      "a: `activation_checkpoint.selective_ac_option`: blocks of which some are computed again (`2`) are not "
      "described; accepted: op, 1");
  EXPECT_THAT(
      refused_config("torchtitan", "[optimizer]\nname = \"Shampoo\"\n"),
      HasSubstr("a: `optimizer.name`: what the optimizer `Shampoo` keeps is unknown; accepted: adam"));
  EXPECT_EQ(refused_config("torchtitan",
                           "[training]\nlocal_batch_size = 3\n[parallelism]\npipeline_parallel_degree = 2\n"
                           "pipeline_parallel_microbatch_size = 2\n"),
            "a: `parallelism.pipeline_parallel_microbatch_size`: 2 does not divide a batch of 3; accepted: a "
            "divisor of `training.local_batch_size`");
}

// 16 bytes: ZeRO's 2 + 2 + 12. Rajbhandari et al., "ZeRO", SC 2020, section 3.1.
TEST(TrainingConfigs, DeepSpeedStagesAreShardings) {
  const auto stage = [](const std::string& number) {
    return config_of("deepspeed",
                     R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": )" + number + "}}");
  };
  EXPECT_EQ(stage("0").sharding, "none");
  EXPECT_EQ(stage("1").sharding, "zero1");
  EXPECT_EQ(stage("2").sharding, "zero2");
  EXPECT_EQ(stage("3").sharding, "fsdp");
  EXPECT_EQ(stage("3").precision, "bf16");
  EXPECT_EQ(stage("3").parameter_bytes + stage("3").gradient_bytes + stage("3").optimizer_bytes, 16);
  EXPECT_EQ(config_of("deepspeed", "{}").precision, "fp32");
}

// DeepSpeed, runtime/zero/config.py: `overlap_comm` is true by default at stage 3 alone.
TEST(TrainingConfigs, DeepSpeedOverlapsAtStagesOneAndTwoWhereItIsStated) {
  const auto warned = [](const std::string& zero) {
    return warned_keys(config_of("deepspeed", R"({"zero_optimization": {)" + zero + "}}"));
  };
  const std::string key = "zero_optimization.overlap_comm";
  for (const std::string stage : {R"("stage": 1)", R"("stage": 2)"}) {
    EXPECT_THAT(warned(stage), ElementsAre(key));
    EXPECT_THAT(warned(stage + R"(, "overlap_comm": null)"), ElementsAre(key));
    EXPECT_THAT(warned(stage + R"(, "overlap_comm": false)"), ElementsAre(key));
    EXPECT_THAT(warned(stage + R"(, "overlap_comm": true)"), ElementsAre());
  }
  EXPECT_THAT(warned(R"("stage": 0)"), ElementsAre());
  EXPECT_THAT(warned(R"("stage": 3)"), ElementsAre());
  EXPECT_THAT(warned(R"("stage": 3, "overlap_comm": false)"), ElementsAre(key));
  const TrainingConfig named =
      config_of("hf-trainer", R"({"deepspeed": {"zero_optimization": {"stage": 2}}})");
  EXPECT_THAT(warned_keys(named), ElementsAre("deepspeed." + key));
  EXPECT_THAT(printed(named, eight_gpus()),
              testing::StartsWith("# Scenario of a.\n# Warning: deepspeed.zero_optimization.overlap_comm = "
                                  "absent: not modelled: DeepSpeed overlaps exchanges with computing by "
                                  "default at stage 3 alone.\n"));
}

TEST(TrainingConfigs, StatesThatAreNotCountedAreRefused) {
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"cpu_offload_param": true}})"),
            "a: `zero_optimization.cpu_offload_param`: states in the memory of the host are not simulated; "
            "accepted: false");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": "Adam", "params": {"amsgrad": true}}})"),
            "a: `optimizer.params.amsgrad`: a third moment, of 4 bytes a parameter, is not counted; "
            "accepted: false");
  EXPECT_EQ(refused_config("hf-trainer", R"({"adafactor": true})"),
            "a: `adafactor`: write `optim`: factored moments take about 8 bytes a parameter less; accepted: "
            "false");
}

TEST(TrainingConfigs, BackendsAndSplitBatchesOfATrainerChangeTheAnswer) {
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"ddp_backend": "gloo"})")), ElementsAre("ddp_backend"));
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"ddp_backend": "nccl"})")), ElementsAre());
  EXPECT_THAT(refused_config("hf-trainer", R"({"accelerator_config": {"split_batches": true}})"),
              HasSubstr("`accelerator_config.split_batches`: "));
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"neftune_noise_alpha": 5})")), ElementsAre());
}

// All products but attention run in eight bits, those of the head among them: what an empty list does.
TEST(TrainingConfigs, TorchtitanFiltersOfFloat8AreWarnedOf) {
  const auto warned = [](const std::string& names) {
    return warned_keys(config_of(
        "torchtitan", "[model]\nconverters = [\"float8\"]\n[float8]\nfilter_fqns = " + names + "\n"));
  };
  EXPECT_THAT(warned("[]"), ElementsAre());
  EXPECT_THAT(warned("[\"output\"]"), ElementsAre("float8.filter_fqns"));
}

TEST(TrainingConfigs, DeepSpeedRefusals) {
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"offload_param": {"device": "nvme"}}})"),
            "a: `zero_optimization.offload_param.device`: `nvme`: states in the memory of the host are not "
            "simulated; accepted: none");
  EXPECT_EQ(
      refused_config("deepspeed", R"({"zero_optimization": {"cpu_offload": true}})"),
      "a: `zero_optimization.cpu_offload`: states in the memory of the host are not simulated; accepted: "
      "false");
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"stage": 4}})"),
            "a: `zero_optimization.stage`: 4 is out of range; accepted: 0 to 3");
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"mics_shard_size": 4}})"),
            "a: `zero_optimization.mics_shard_size`: 4: MiCS is not simulated; accepted: -1, 0");
  EXPECT_EQ(
      refused_config("deepspeed", R"({"bf16": {"enabled": "auto"}})"),
      "a: `bf16.enabled`: `auto` leaves it to the arguments of a Trainer; import those with hf-trainer, or "
      "write true or false");
  EXPECT_EQ(refused_config("deepspeed", R"({"bf16": {"enabled": true}, "fp16": {"enabled": true}})"),
            "a: `bf16.enabled`: `fp16.enabled` is true, too; accepted: one of them");
  EXPECT_EQ(refused_config("deepspeed",
                           R"({"optimizer": {"type": "OneBitAdam"}, "zero_optimization": {"stage": 1}})"),
            "a: `optimizer.type`: signs of gradients beside ZeRO stage 1 are not simulated; accepted: "
            "`zero_optimization.stage: 0`, or Adam");
  EXPECT_EQ(refused_config("deepspeed",
                           R"({"optimizer": {"type": "ZeroOneAdam"}, "zero_optimization": {"stage": 1}})"),
            "a: `optimizer.type`: signs of gradients beside ZeRO stage 1 are not simulated; accepted: "
            "`zero_optimization.stage: 0`, or Adam");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": "ZeroOneAdam", "params": {
                           "local_step_clipper": 0}}})"),
            "a: `optimizer.params.local_step_clipper`: 0 is out of range; accepted: 1 to 1000000");
  EXPECT_EQ(refused_config("deepspeed", "[1]"),
            "a: the file is not a JSON object; use a configuration as the program reads it");
  EXPECT_EQ(refused_config("deepspeed", std::string(1'000'001, ' ')),
            "a: 1000001 bytes; accepted: up to 1000000 bytes");
  EXPECT_EQ(refused_config("deepspeed", R"({"bf16": {"enabled": 1}})"),
            "a: `bf16.enabled`: 1 cannot be read; accepted: true, false");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": 1}})"),
            "a: `optimizer.type`: 1 cannot be read; accepted: a text");
}

TEST(TrainingConfigs, WordsOfFsdpAreShardings) {
  const auto words = [](const std::string& fsdp) {
    return config_of("hf-trainer", R"({"bf16": true, "fsdp": )" + fsdp + "}");
  };
  EXPECT_EQ(words(R"("full_shard auto_wrap")").sharding, "fsdp");
  EXPECT_TRUE(words(R"("full_shard auto_wrap")").reshard_after_forward);
  EXPECT_EQ(words(R"("full_shard auto_wrap")").accumulate, "whole") << "`no_sync` but in the last pass";
  EXPECT_EQ(words("true").sharding, "fsdp");
  EXPECT_FALSE(words(R"(["shard_grad_op"])").reshard_after_forward);
  EXPECT_TRUE(words(R"(["hybrid_shard", "auto_wrap"])").shards_in_node);
  EXPECT_FALSE(words(R"(["hybrid_shard_zero2"])").reshard_after_forward);
  EXPECT_EQ(words("[]").sharding, "none");
  EXPECT_EQ(words("false").sharding, "none");
}

TEST(TrainingConfigs, TheTrainerWrapsBlocksAndMaySendEachPass) {
  const TrainingConfig read = config_of("hf-trainer", R"({"bf16": true, "fsdp": true, "accelerator_config":
      {"gradient_accumulation_kwargs": {"sync_each_batch": true}}})");
  EXPECT_EQ(read.unit, "root");
  EXPECT_EQ(read.accumulate, "shards");
  EXPECT_EQ(config_of("hf-trainer", "{}").unit, "");
}

TEST(TrainingConfigs, TheTrainerTakesFsdpOrDeepspeed) {
  EXPECT_EQ(refused_config("hf-trainer",
                           R"({"bf16": true, "fsdp": true, "deepspeed": {"bf16": {"enabled": true}}})"),
            "a: `deepspeed`: `fsdp` is stated, too, which the Trainer refuses; accepted: one of them");
}

TEST(TrainingConfigs, FsdpConfigMayNameAFile) {
  const tests::ScratchFolder scratch;
  const std::string named = scratch.write("fsdp.json", R"({"activation_checkpointing": true})").string();
  EXPECT_EQ(config_of("hf-trainer", R"({"fsdp": true, "fsdp_config": ")" + named + "\"}").recomputation,
            "full");
  EXPECT_THAT(refused_config("hf-trainer", R"({"fsdp": true, "fsdp_config": "absent.json"})"),
              HasSubstr("absent.json"));
}

// Autocast without sharding keeps and sums fp32: 4 + 4 + 8.
TEST(TrainingConfigs, TrainersKeepFp32) {
  const TrainingConfig plain = config_of("hf-trainer", R"({"fp16": true})");
  EXPECT_EQ(plain.precision, "fp16");
  EXPECT_EQ(plain.parameter_bytes, 4);
  EXPECT_EQ(plain.gradient_bytes, 4);
  EXPECT_EQ(plain.optimizer_bytes, 8);
  EXPECT_EQ(
      config_of("hf-trainer", R"({"bf16": true, "fsdp": true, "optim": "adamw_bnb_8bit"})").optimizer_bytes,
      6);
}

TEST(TrainingConfigs, TrainerRefusals) {
  EXPECT_EQ(
      refused_config("hf-trainer", R"({"fsdp": "full_shard offload"})"),
      "a: `fsdp`: `offload`: states in the memory of the host are not simulated; leave it out of `fsdp`");
  EXPECT_THAT(refused_config("hf-trainer", R"({"fsdp": "ful_shard"})"),
              HasSubstr("a: `fsdp`: `ful_shard` cannot be read; did you mean `full_shard`?"));
  EXPECT_EQ(
      refused_config("hf-trainer", R"({"fsdp_config": {"cpu_offload": true}})"),
      "a: `fsdp_config.cpu_offload`: states in the memory of the host are not simulated; accepted: false");
  EXPECT_EQ(refused_config("hf-trainer", R"({"bf16": true, "fp16": true})"),
            "a: `bf16`: `fp16` is true, too; accepted: one of them");
  EXPECT_THAT(refused_config("hf-trainer", R"({"deepspeed": "gone.json"})"),
              HasSubstr("gone.json: file not found"));
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
