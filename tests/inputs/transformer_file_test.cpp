// Transformers by description: times by stack or stated utilisation, each refusal.
#include "sim/inputs/transformer_file.hpp"

#include <gtest/gtest.h>

#include "sim/inputs/workload_file.hpp"
#include "sim/language/document.hpp"
#include "tests/scenario/scenario_text.hpp"
#include "tests/scratch_folder.hpp"

namespace sim::scenario {
namespace {

using netmodels::TimeOrigin;
using netmodels::Workload;

netmodels::Result<Workload> described(const std::string& text) {
  const auto value = language::parse_value(text, language::Origin("--set workload"));
  EXPECT_TRUE(value.has_value());
  return inputs::load_workload(*value, data_dir);
}

std::string refusal_of(const std::string& text) {
  const auto workload = described(text);
  return workload ? "accepted" : workload.error().text();
}

const std::string xl_shape =
    "transformer: {layers: 48, hidden: 1600, heads: 25, sequence: 1024, vocabulary: 50257}";
const std::string on_h100 = ", device: h100_sxm_datasheet";

TEST(TransformerFile, AStatedUtilisationGivesTheTimeOfBothPasses) {
  // 6 x 1557611200 + 12 x 48 x 1600 x 1024 FLOPs a token, 1024 tokens a sample, at 40 % of 989 TFLOP/s
  const auto workload = described("{" + xl_shape + on_h100 + ", mfu: 40 %}");
  ASSERT_TRUE(workload) << workload.error().text();
  const double sample = (6.0 * 1557611200 + 943718400.0) * 1024 / (0.4 * 989e12);
  EXPECT_NEAR(workload->compute(3).count, 3 * sample, 1e-9);
  EXPECT_NEAR(workload->forward(3).count, sample, 1e-9);
  EXPECT_EQ(workload->parameters(), 1557611200);
  EXPECT_EQ(workload->origin, TimeOrigin::utilisation);
  EXPECT_EQ(workload->provenance, "stated utilisation of 40.0 % in bf16");
  EXPECT_EQ(workload->device, "h100_sxm_datasheet");
}

TEST(TransformerFile, AStatedUtilisationHoldsWithRecomputationToo) {  // a quarter forward, three backward
  const auto plain = described("{" + xl_shape + on_h100 + ", mfu: 40 %}");
  const auto full = described("{" + xl_shape + on_h100 + ", mfu: 40 %, recomputation: full}");
  ASSERT_TRUE(plain && full);
  EXPECT_NEAR(full->compute(2).count, plain->compute(2).count, 1e-12);
  EXPECT_NEAR(full->forward(2).count, plain->compute(2).count / 4, 1e-12);
}

TEST(TransformerFile, AStackGivesTheUtilisationOfItsDevice) {
  // 0.768 x 1600 / 2800 x 8192 / 10192 = 35.3 % at 8 sequences of 1024 tokens, attention counted 1.5 times
  const auto workload = described("gpt2_xl");
  ASSERT_TRUE(workload) << workload.error().text();
  const double share = 0.768 * 1600 / 2800 * 8192 / 10192;
  EXPECT_NEAR(workload->compute(8).count,
              8 * (6.0 * 1557611200 + 1.5 * 943718400.0) * 1024 / (share * 989e12), 1e-9);
  EXPECT_EQ(
      workload->provenance,
      "shape: Radford et al., 2019; stack pytorch-fsdp-2023, utilisation 33.7 % in bf16, published runs "
      "within 9 %");
}

TEST(TransformerFile, AShippedShapeRunsOnAnotherDevice) {
  const auto workload = described(
      "{model: gpt2_xl, device: a100_sxm4_80gb_datasheet, stack: pytorch-fsdp-2023, sequence: 512}");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(workload->name, "gpt2_xl");
  EXPECT_EQ(workload->device, "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(workload->parameters(), 1557611200);  // shorter samples leave positions unused
}

// Mixtral's experts: all of them on each worker, two for a token.
TEST(TransformerFile, WhatExpertsLeaveOutIsSaid) {
  const std::string shape =
      "transformer: {layers: 2, hidden: 64, heads: 4, sequence: 8, vocabulary: 100, experts: 8, "
      "active_experts: 2}";
  const std::string said =
      "--set workload: `workload`: 8 experts, 2 of them for a token: expert exchange is not modelled, as "
      "each "
      "worker holds all experts, and unequal loads of experts are not counted";
  const auto stated = described("{" + shape + on_h100 + ", mfu: 40 %}");
  ASSERT_TRUE(stated) << stated.error().text();
  EXPECT_EQ(stated->warnings, std::vector{said});
  const auto by_stack = described("{" + shape + on_h100 + ", stack: pytorch-fsdp-2023}");
  ASSERT_TRUE(by_stack) << by_stack.error().text();
  EXPECT_EQ(by_stack->warnings,
            std::vector{said + "; `stack: pytorch-fsdp-2023` was measured on dense models: "
                               "state a measured `mfu` in its place"});
  EXPECT_TRUE(described("{" + xl_shape + on_h100 + ", mfu: 40 %}")->warnings.empty());
}

TEST(TransformerFile, KeepsActivationsByRecomputation) {  // without dropout 32 s h, or 2 s h and a block
  const double sh = 1024.0 * 1600;
  const auto kept = [&](const std::string& more) {
    const auto workload = described("{" + xl_shape + on_h100 + ", mfu: 40 %" + more + "}");
    EXPECT_TRUE(workload) << workload.error().text();
    return workload->memory.value_or(netmodels::BlockMemory{});
  };
  EXPECT_DOUBLE_EQ(kept("").kept.count, 32 * sh);
  EXPECT_DOUBLE_EQ(kept("").working.count, 0);
  EXPECT_DOUBLE_EQ(kept(", flash: false").kept.count, 32 * sh + 2 * 25 * 1024.0 * 1024);
  EXPECT_DOUBLE_EQ(kept(", recomputation: full").kept.count, 2 * sh);
  EXPECT_DOUBLE_EQ(kept(", recomputation: full").working.count, 32 * sh);
  EXPECT_DOUBLE_EQ(kept("").outside.count, 10.0 * 1024 * 50257);
}

TEST(TransformerFile, RefusesShapesThatDoNotFitTogether) {
  EXPECT_EQ(refusal_of("{transformer: {layers: 12, hidden: 770, heads: 12, sequence: 512, vocabulary: 100}" +
                       on_h100 + ", mfu: 40 %}"),
            "--set workload: `workload.transformer`: `hidden` is 770, which 12 heads do not divide; write a "
            "multiple of `heads`, or state `head_size`");
  EXPECT_EQ(refusal_of("{transformer: {layers: 0, hidden: 768, heads: 12, sequence: 512, vocabulary: 100}" +
                       on_h100 + ", mfu: 40 %}"),
            "--set workload: `workload.transformer.layers`: `0` is too small; accepted: at least 1 and "
            "at most 1000000000");
  EXPECT_EQ(refusal_of("{model: gpt2_xl, sequence: 0" + on_h100 + ", mfu: 40 %}"),
            "--set workload: `workload.sequence`: `0` is too small; accepted: at least 1 and at most "
            "1000000000");
}

TEST(TransformerFile, RefusesATimeWithoutSourceOrWithTwo) {
  EXPECT_EQ(refusal_of("{" + xl_shape + on_h100 + "}"),
            "--set workload: `workload`: the utilisation is missing; write one of `stack: pytorch-fsdp-2023` "
            "and `mfu: 45 %`");
  EXPECT_EQ(refusal_of("{" + xl_shape + on_h100 + ", mfu: 40 %, stack: megatron-te-2025}"),
            "--set workload: `workload`: both `stack` and `mfu` state the utilisation; write one of `stack: "
            "pytorch-fsdp-2023` and `mfu: 45 %`");
  EXPECT_EQ(refusal_of("{" + xl_shape + ", model: gpt2_xl" + on_h100 + ", mfu: 40 %}"),
            "--set workload: `workload`: the shape of the model is stated more than once; exactly one of "
            "`transformer`, `config` and `model`");
}

TEST(TransformerFile, AStackOnADeviceOfTheSameArithmeticSaysWhereItWasMeasured) {
  for (const std::string of :
       {"model: llama3_8b, stack: megatron-te-2025", "model: llama2_7b, stack: pytorch-fsdp-2023"}) {
    const auto on = [&](const std::string& device) {
      const auto workload = described("{" + of + ", device: " + device + "}");
      EXPECT_TRUE(workload) << workload.error().text();
      return workload.value_or(Workload{});
    };
    const Workload h100 = on("h100_sxm_datasheet");
    const Workload h200 = on("h200_sxm_datasheet");
    EXPECT_EQ(h200.device, "h200_sxm_datasheet");
    EXPECT_EQ(h200.compute(1), h100.compute(1));
    EXPECT_NE(h200.provenance.find("as measured on h100_sxm_datasheet, not on h200_sxm_datasheet"),
              std::string::npos)
        << h200.provenance;
    EXPECT_EQ(h100.provenance.find("as measured on"), std::string::npos) << h100.provenance;
  }
}

/// What lies outside of the published runs; or what is wrong.
std::string outside_of(const std::string& text) {
  const auto workload = described(text);
  if (!workload) return workload.error().text();
  return workload->utilisation_range ? describe_outside(*workload->utilisation_range) : "no range";
}

TEST(TransformerFile, AStackIsOfAWiderRangeWhereItWasNotMeasured) {
  // by the device with the nearest peak: 165 TFLOP/s are nearer to 312 than to 989
  const std::string with_xl = "{model: gpt2_xl, stack: pytorch-fsdp-2023, device: ";
  EXPECT_EQ(outside_of(with_xl + "h100_sxm_datasheet}"), "");
  EXPECT_EQ(outside_of(with_xl + "h200_sxm_datasheet}"), "");
  EXPECT_EQ(outside_of(with_xl + "rtx_4090_datasheet}"),
            "outside of what was published: rtx_4090_datasheet, a100_sxm4_40gb_datasheet was measured; range "
            "widened to 47 to 211 % of the predicted time");
  EXPECT_EQ(outside_of(with_xl + "h100_sxm_datasheet, precision: fp16}"),
            "outside of what was published: fp16, bf16 was measured; range widened to 65 to 154 % of the "
            "predicted time");
  EXPECT_EQ(
      outside_of(with_xl + "v100_sxm2_datasheet, precision: fp16}"),
      "outside of what was published: v100_sxm2_datasheet, a100_sxm4_40gb_datasheet was measured; fp16, "
      "bf16 was measured; range widened to 42 to 236 % of the predicted time");
  const auto moved = described(with_xl + "rtx_4090_datasheet}");
  const auto measured = described(with_xl + "a100_sxm4_40gb_datasheet}");
  ASSERT_TRUE(moved && measured);
  EXPECT_NEAR(moved->compute(8) / measured->compute(8), 312 / 165.2, 1e-9);
}

TEST(TransformerFile, LongSequencesAndExpertsAreOutsideOfDenseRuns) {
  EXPECT_EQ(
      outside_of("{model: llama3_8b, sequence: 131072, stack: megatron-te-2025" + on_h100 + "}"),
      "outside of what was published: sequence 131072, at most 8192 was measured; range widened to 73 to "
      "137 % of the predicted time");
  const std::string experts =
      "{transformer: {layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, sequence: 4096, "
      "vocabulary: "
      "32000, ffn_kind: swiglu, norm: rms, positions: rotary, bias: none, tied: false, experts: 8, "
      "active_experts: 2}";
  EXPECT_EQ(
      outside_of(experts + on_h100 + ", stack: megatron-te-2025}"),
      "outside of what was published: a mixture of experts, dense models were measured; range widened to "
      "95 to 400 % of the predicted time");
  EXPECT_EQ(outside_of(experts + on_h100 + ", mfu: 40 %}"), "no range");
}

netmodels::Result<Workload> described_on(const std::string& device, const std::string& text) {
  const auto value = language::parse_value(text, language::Origin("--set workload"));
  const auto cluster = language::parse_value(device, language::Origin("c.yaml:3:9"));
  EXPECT_TRUE(value && cluster);
  return inputs::load_workload(*value, data_dir, {.device = &*cluster});
}

TEST(TransformerFile, TakesTheDeviceOfTheCluster) {
  const auto own = described_on("a100_sxm4_80gb_datasheet", "{" + xl_shape + ", mfu: 40 %}");
  ASSERT_TRUE(own) << own.error().text();
  EXPECT_EQ(own->device, "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(own->warnings, std::vector<std::string>{});
  const auto on_h = described("{" + xl_shape + on_h100 + ", mfu: 40 %}");
  ASSERT_TRUE(on_h);
  EXPECT_NEAR(own->compute(1) / on_h->compute(1), 989.0 / 312, 1e-9);
  const auto shipped = described_on("a100_sxm4_80gb_datasheet", "gpt2_xl");
  ASSERT_TRUE(shipped) << shipped.error().text();
  EXPECT_EQ(shipped->device, "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(shipped->warnings, std::vector<std::string>{}) << "the device of a shipped file is its example";
  const auto stated = described_on("a100_sxm4_80gb_datasheet", "{" + xl_shape + on_h100 + ", mfu: 40 %}");
  ASSERT_TRUE(stated);
  EXPECT_EQ(stated->device, "a100_sxm4_80gb_datasheet");
  EXPECT_EQ(
      stated->warnings,
      std::vector<std::string>{"--set workload: `workload.device` is h100_sxm_datasheet, and the cluster has "
                               "a100_sxm4_80gb_datasheet, whose peak and memory are taken; leave it out"});
}

TEST(TransformerFile, RefusesADeviceThatIsUnknownOrLacksThePrecision) {
  EXPECT_EQ(
      refusal_of("{" + xl_shape + ", mfu: 40 %}"),
      "--set workload: neither the workload nor the cluster states its device; write `cluster.device`, or "
      "`workload.device`: for example `h100_sxm_datasheet`");
  const auto lacking = described_on("v100_sxm2_datasheet", "{" + xl_shape + ", mfu: 40 %}");
  ASSERT_FALSE(lacking);
  EXPECT_EQ(
      lacking.error().text(),
      "--set workload: `v100_sxm2_datasheet` has no peak in bf16; write `precision` as one of: fp32, fp16");
  const auto misspelt = described_on("a100_sxm4_80gb_datasheet", "{" + xl_shape + ", device: h1, mfu: 40 %}");
  ASSERT_FALSE(misspelt);
  EXPECT_NE(misspelt.error().text().find("unknown device `h1`"), std::string::npos)
      << misspelt.error().text();
}

// 6 N of all weights; 4 N where none is trained, and 4 N + 0.02 N with 1 % of them; attention as it was.
TEST(TransformerFile, FrozenWeightsHaveNoGradients) {
  const auto of_share = [](const std::string& more) {
    const auto workload = described("{" + xl_shape + on_h100 + ", mfu: 40 %" + more + "}");
    EXPECT_TRUE(workload) << workload.error().text();
    return workload.value_or(Workload{});
  };
  const Workload all = of_share("");
  const Workload share = of_share(", trainable: 1 %");
  const double n = 1557611200;
  const double attention = 943718400;
  EXPECT_NEAR(share.compute(1) / all.compute(1), (4.02 * n + attention) / (6 * n + attention), 2e-4);
  EXPECT_EQ(share.forward(1), all.forward(1));
  EXPECT_NEAR(static_cast<double>(share.parameters()), 0.01 * n, 300);  // rounded layer by layer
  EXPECT_EQ(share.parameters() + share.frozen(), all.parameters());
  EXPECT_NEAR(share.token_work->work.count, (4.02 * n + attention) * 1024, 1e6);
  EXPECT_TRUE(share.provenance.ends_with("; 1 % of the weights are trained")) << share.provenance;
  // the repeated forward pass stays: (4 + 2 + 0.02) of (6 + 2)
  const Workload full = of_share(", recomputation: full");
  const Workload full_share = of_share(", recomputation: full, trainable: 1 %");
  EXPECT_NEAR(full_share.compute(1) / full.compute(1),
              (6.02 * n + 4.0 / 3 * attention) / (8 * n + 4.0 / 3 * attention), 2e-4);
  EXPECT_EQ(refusal_of("{" + xl_shape + on_h100 + ", mfu: 40 %, trainable: 0}"),
            "--set workload: `workload.trainable`: `0` is too small; accepted: above 0 and at most 1");
}

TEST(TransformerFile, FrozenWeightsAreOutsideOfPublishedTrainings) {  // at worst 6 N in place of 4 N
  EXPECT_EQ(outside_of("{model: gpt2_xl, stack: pytorch-fsdp-2023, trainable: 1 %" + on_h100 + "}"),
            "outside of what was published: frozen weights, trainings of all weights were measured; range "
            "widened to 92 to 144 % of the predicted time");
}

TEST(TransformerFile, RefusesAStackBeyondItsSizes) {
  EXPECT_EQ(refusal_of("{model: gpt2_xl" + on_h100 + ", stack: megatron-te-2025}"),
            "--set workload: stack `megatron-te-2025`: a model of 1.56e+09 parameters; the utilisation was "
            "measured for 8.03e+09 to 4.06e+11; state the model's own utilisation as `mfu`");
  EXPECT_EQ(
      refusal_of("{model: gpt2_xl, device: v100_sxm2_datasheet, mfu: 40 %}"),
      "--set workload: `v100_sxm2_datasheet` has no peak in bf16; write `precision` as one of: fp32, fp16");
  EXPECT_EQ(refusal_of("{model: gpt2" + on_h100 + ", mfu: 40 %}"),
            "--set workload: the workload `gpt2` does not describe a transformer; did you mean `gpt2_large`? "
            "accepted: gpt2_large, gpt2_medium, gpt2_small, gpt2_xl, llama2_13b, llama2_70b, llama2_7b, "
            "llama3_405b, llama3_70b, llama3_8b, mistral_7b, mpt_30b, mpt_70b, mpt_7b, qwen2_5_7b, or a file "
            "with the key `transformer`");
}

/// What is wrong with a stack that states this of an H100.
std::string stack_refusal(const std::string& stated) {
  const tests::ScratchFolder scratch;
  scratch.write("mine.yaml",
                "name: mine\nprovenance: here\ndevices:\n  - {device: h100_sxm_datasheet, within: 5 %" +
                    stated + "}\n");
  const auto reading = read(scratch,
                            "# Question?\n"
                            "workload: {model: gpt2_xl, device: h100_sxm_datasheet, stack: ./mine.yaml}\n"
                            "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\n"
                            "training: {batch: 2, steps: 3}\n");
  if (reading) return "accepted";
  const std::string text = reading.error().text();
  return text.substr(text.find("mine.yaml"));
}

TEST(StackFile, OnesOwnIsReadFromBesideTheScenario) {
  EXPECT_EQ(stack_refusal(", efficiency: 50 %"), "accepted");
}

TEST(StackFile, RefusesRunsThatEndBeforeTheyBegin) {
  EXPECT_EQ(stack_refusal(", efficiency: 0.5, runs: {min_sequence: 4096, max_sequence: 512, max_devices: 8}"),
            "mine.yaml:4:105: `devices[0].runs.max_sequence`: it is less than `min_sequence`; write at least "
            "`min_sequence`");
}

TEST(StackFile, RefusesAnUtilisationWithoutSourceOrOrder) {
  EXPECT_EQ(stack_refusal(", efficiency: 0.5, sizes: [{parameters: 5, share: 0.5}]"),
            "mine.yaml:4:5: `devices[0]`: it states both `efficiency` and `sizes`; write one of them");
  EXPECT_EQ(stack_refusal(""),
            "mine.yaml:4:5: `devices[0]`: it states neither `efficiency` nor `sizes`; write one of them");
  EXPECT_EQ(
      stack_refusal(", sizes: [{parameters: 5, share: 0.5}, {parameters: 4, share: 0.5}]"),
      "mine.yaml:4:97: `devices[0].sizes[1].parameters`: sizes do not rise; write them in the order of their "
      "parameters");
}

}  // namespace
}  // namespace sim::scenario
