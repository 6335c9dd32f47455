// Arguments of the Trainer of Hugging Face: what a scenario takes of them, and each refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/imports/configs.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
            "a:1:18: `fsdp_config.fsdp_offload_params`: states in the memory of the host are not simulated; "
            "accepted: false");
  const TrainingConfig read = config_of(
      "hf-trainer", R"({"fsdp": true, "fsdp_config": {"fsdp_forward_prefetch": false, "fsdp_odd": 1}})");
  EXPECT_THAT(warned_keys(read), ElementsAre("fsdp_config.fsdp_forward_prefetch", "fsdp_config.fsdp_odd"));
  EXPECT_EQ(
      refused_config("hf-trainer", R"({"fsdp_config": {"version": 1, "fsdp_version": 2}})"),
      "a:1:32: `fsdp_config.fsdp_version`: `fsdp_config.version` states it, too; accepted: one of them");
}

TEST(TrainingConfigs, BackendsAndSplitBatchesOfATrainerChangeTheAnswer) {
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"ddp_backend": "gloo"})")), ElementsAre("ddp_backend"));
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"ddp_backend": "nccl"})")), ElementsAre());
  EXPECT_THAT(refused_config("hf-trainer", R"({"accelerator_config": {"split_batches": true}})"),
              HasSubstr("`accelerator_config.split_batches`: "));
  EXPECT_THAT(warned_keys(config_of("hf-trainer", R"({"neftune_noise_alpha": 5})")), ElementsAre());
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
            "a:1:30: `deepspeed`: `fsdp` is stated, too, which the Trainer refuses; accepted: one of them");
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
      "a:1:2: `fsdp`: `offload`: states in the memory of the host are not simulated; leave it out of `fsdp`");
  EXPECT_THAT(refused_config("hf-trainer", R"({"fsdp": "ful_shard"})"),
              HasSubstr("a:1:2: `fsdp`: `ful_shard` cannot be read; did you mean `full_shard`?"));
  EXPECT_EQ(refused_config("hf-trainer", R"({"fsdp_config": {"cpu_offload": true}})"),
            "a:1:18: `fsdp_config.cpu_offload`: states in the memory of the host are not simulated; "
            "accepted: false");
  EXPECT_EQ(refused_config("hf-trainer", R"({"bf16": true, "fp16": true})"),
            "a:1:2: `bf16`: `fp16` is true, too; accepted: one of them");
  EXPECT_THAT(refused_config("hf-trainer", R"({"deepspeed": "gone.json"})"),
              HasSubstr("gone.json: file not found"));
}

}  // namespace
}  // namespace calibrate::imports
