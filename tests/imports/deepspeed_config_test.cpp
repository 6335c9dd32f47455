// Configurations of DeepSpeed: what a scenario takes of them, and each refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/imports/configs.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;

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
  EXPECT_EQ(refused_config("deepspeed", with(1, "fp32")),
            "a:1:44: `data_types.grad_accum_dtype`: gradients that are added up whole in another type than "
            "they are "
            "sent in; accepted: `zero_optimization.stage` 2 or 3 with fp32, or the type of "
            "`communication_data_type`");
  EXPECT_EQ(config_of("hf-trainer",
                      R"({"bf16": true, "deepspeed": {"bf16": {"enabled": "auto"},
                          "data_types": {"grad_accum_dtype": "fp32"}, "zero_optimization": {"stage": 2}}})")
                .optimizer_bytes,
            14);
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

TEST(TrainingConfigs, DeepSpeedRefusals) {
  EXPECT_EQ(
      refused_config("deepspeed", R"({"zero_optimization": {"offload_param": {"device": "nvme"}}})"),
      "a:1:42: `zero_optimization.offload_param.device`: `nvme`: states in the memory of the host are not "
      "simulated; accepted: none");
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"cpu_offload": true}})"),
            "a:1:24: `zero_optimization.cpu_offload`: states in the memory of the host are not simulated; "
            "accepted: "
            "false");
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"stage": 4}})"),
            "a:1:24: `zero_optimization.stage`: 4 is out of range; accepted: 0 to 3");
  EXPECT_EQ(refused_config("deepspeed", R"({"zero_optimization": {"mics_shard_size": 4}})"),
            "a:1:24: `zero_optimization.mics_shard_size`: 4: MiCS is not simulated; accepted: -1, 0");
  EXPECT_EQ(refused_config("deepspeed", R"({"bf16": {"enabled": "auto"}})"),
            "a:1:11: `bf16.enabled`: `auto` leaves it to the arguments of a Trainer; import those with "
            "hf-trainer, or "
            "write true or false");
  EXPECT_EQ(refused_config("deepspeed", R"({"bf16": {"enabled": true}, "fp16": {"enabled": true}})"),
            "a:1:11: `bf16.enabled`: `fp16.enabled` is true, too; accepted: one of them");
  EXPECT_EQ(refused_config("deepspeed",
                           R"({"optimizer": {"type": "OneBitAdam"}, "zero_optimization": {"stage": 1}})"),
            "a:1:16: `optimizer.type`: signs of gradients beside ZeRO stage 1 are not simulated; accepted: "
            "`zero_optimization.stage: 0`, or Adam");
  EXPECT_EQ(refused_config("deepspeed",
                           R"({"optimizer": {"type": "ZeroOneAdam"}, "zero_optimization": {"stage": 1}})"),
            "a:1:16: `optimizer.type`: signs of gradients beside ZeRO stage 1 are not simulated; accepted: "
            "`zero_optimization.stage: 0`, or Adam");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": "ZeroOneAdam", "params": {
                           "local_step_clipper": 0}}})"),
            "a:2:28: `optimizer.params.local_step_clipper`: 0 is out of range; accepted: 1 to 1000000");
  EXPECT_EQ(refused_config("deepspeed", "[1]"),
            "a: the file is not a JSON object; use a configuration as the program reads it");
  EXPECT_EQ(refused_config("deepspeed", std::string(1'000'001, ' ')),
            "a: 1000001 bytes; accepted: up to 1000000 bytes");
  EXPECT_EQ(refused_config("deepspeed", R"({"bf16": {"enabled": 1}})"),
            "a:1:11: `bf16.enabled`: 1 cannot be read; accepted: true, false");
  EXPECT_EQ(refused_config("deepspeed", R"({"optimizer": {"type": 1}})"),
            "a:1:16: `optimizer.type`: 1 cannot be read; accepted: a text");
}

}  // namespace
}  // namespace calibrate::imports
