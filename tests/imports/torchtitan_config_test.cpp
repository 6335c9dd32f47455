// Jobs of torchtitan: what a scenario takes of them, and each refusal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/imports/configs.hpp"

namespace calibrate::imports {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST(TrainingConfigs, TorchtitanRecomputesByOperatorsOrByBlocks) {
  const auto recomputation = [](const std::string& keys) {
    return config_of("torchtitan", "[activation_checkpoint]\n" + keys).recomputation;
  };
  EXPECT_EQ(recomputation("mode = \"selective\"\nselective_ac_option = \"op\"\n"), "every_second_product");
  EXPECT_EQ(recomputation("mode = \"selective\"\nselective_ac_option = \"1\"\n"), "full");
  EXPECT_EQ(recomputation("mode = \"full\"\nselective_ac_option = \"2\"\n"), "full");
  EXPECT_EQ(recomputation("mode = \"none\"\n"), "none");
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

// All products but attention run in eight bits, those of the head among them: what an empty list does.
TEST(TrainingConfigs, TorchtitanFiltersOfFloat8AreWarnedOf) {
  const auto warned = [](const std::string& names) {
    return warned_keys(config_of(
        "torchtitan", "[model]\nconverters = [\"float8\"]\n[float8]\nfilter_fqns = " + names + "\n"));
  };
  EXPECT_THAT(warned("[]"), ElementsAre());
  EXPECT_THAT(warned("[\"output\"]"), ElementsAre("float8.filter_fqns"));
}

}  // namespace
}  // namespace calibrate::imports
