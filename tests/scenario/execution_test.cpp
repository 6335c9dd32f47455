// Execution models of arms: stated, derived from other keys, defaults of methods, and refusals.
#include "sim/scenario/execution.hpp"

#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::BucketLimits;
using netmodels::Bytes;
using namespace netmodels::literals;

Exchange named(std::string name) {
  Exchange exchange;
  exchange.execution = std::move(name);
  return exchange;
}

std::string_view model_of(const Exchange& exchange, std::string_view method, bool decides = false) {
  return execution_of(exchange, method, decides).model->name;
}

TEST(Execution, DefaultsFollowTheMethod) {
  EXPECT_EQ(model_of({}, "none"), "ddp_overlap");
  EXPECT_EQ(model_of({}, "fp16"), "ddp_hook");
  EXPECT_EQ(model_of({}, "int8"), "ddp_hook");
  EXPECT_EQ(model_of({}, "powersgd"), "ddp_hook");
  EXPECT_EQ(model_of({}, "topk"), "after_backward");
  EXPECT_EQ(model_of({}, "ar_topk"), "after_backward");
  EXPECT_EQ(model_of({}, "lwtopk"), "per_tensor");
  EXPECT_EQ(model_of({}, "signsgd"), "per_tensor");
}

TEST(Execution, EveryMethodHasAModelThatCanSendIt) {
  for (const kernels::Entry& row : kernels::wire_formats()) {
    const auto model = netmodels::find_execution_model(row.execution);
    ASSERT_TRUE(model.has_value()) << row.name;
    EXPECT_TRUE(row.name == "none" || (*model)->compresses) << row.name;
  }
}

TEST(Execution, APolicyThatDecidesWaitsForTheBackwardPass) {
  EXPECT_EQ(model_of({}, "fp16", true), "after_backward");
  EXPECT_EQ(model_of(named("ddp_hook"), "topk", true), "ddp_hook");
}

TEST(Execution, WithoutOverlapIsTheWholeGradient) {
  Exchange exchange;
  exchange.overlap = false;
  const Execution execution = execution_of(exchange, "fp16", false);
  EXPECT_EQ(execution.model->name, "after_backward");
  EXPECT_FALSE(execution.overlap || execution.broadcasts_buffers);
  EXPECT_EQ(execution.parts.limits, (BucketLimits{Bytes{}, Bytes{}}));
}

TEST(Execution, BucketsWithoutOverlapStayBuckets) {
  Exchange exchange;
  exchange.overlap = false;
  exchange.bucket = 64_MiB;
  EXPECT_EQ(execution_of(exchange, "none", false).parts.limits, (BucketLimits{1_MiB, 64_MiB}));
}

TEST(Execution, OverlapOrBucketsAloneAreThoseOfDdp) {
  Exchange overlapped;
  overlapped.overlap = true;
  EXPECT_EQ(model_of(overlapped, "none"), "ddp_overlap");
  EXPECT_EQ(model_of(overlapped, "topk"), "ddp_hook");
  Exchange bucketed;
  bucketed.first_bucket = 4_MiB;
  const Execution execution = execution_of(bucketed, "lwtopk", false);
  EXPECT_EQ(execution.model->name, "ddp_hook");
  EXPECT_EQ(execution.parts.limits, (BucketLimits{4_MiB, 25_MiB}));
}

TEST(Execution, StatedValuesReplaceTheModels) {
  Exchange exchange = named("per_tensor");
  exchange.overlap = true;
  exchange.bucket = 8_MiB;
  exchange.broadcast_buffers = true;
  const Execution execution = execution_of(exchange, "topk", false);
  EXPECT_TRUE(execution.overlap && execution.broadcasts_buffers);
  EXPECT_FALSE(execution.parts.per_tensor);
  EXPECT_EQ(execution.parts.limits, (BucketLimits{1_MiB, 8_MiB}));
}

TEST(Execution, OneBucketSizeStatesBothWhereTheModelHasOne) {
  Exchange exchange = named("deepspeed");
  exchange.bucket = 100_MB;
  EXPECT_EQ(execution_of(exchange, "none", false).parts.limits, (BucketLimits{100_MB, 100_MB}));
  exchange = named("horovod_fusion");
  exchange.first_bucket = 64_MiB;
  EXPECT_EQ(execution_of(exchange, "none", false).parts.limits, (BucketLimits{64_MiB, 64_MiB}));
}

TEST(Execution, HorovodWithoutOverlapHasNoCycle) {
  Exchange exchange = named("horovod_fusion");
  EXPECT_EQ(execution_of(exchange, "none", false).parts.cycle, 1_ms);
  exchange.overlap = false;
  EXPECT_EQ(execution_of(exchange, "none", false).parts.cycle, netmodels::Seconds{});
}

TEST(Execution, DenseModelsCompareWithCompressionByItsDefault) {
  EXPECT_EQ(model_of(named("deepspeed"), "topk"), "after_backward");
  EXPECT_EQ(model_of(named("ddp_overlap"), "fp16"), "ddp_hook");
}

TEST(Execution, IsDescribedWithItsOrigin) {
  EXPECT_EQ(describe_execution(first_arm(least)),
            "ddp_overlap (buckets of 1 MiB, then 25 MiB, overlapping the backward pass), the default without "
            "compression");
  EXPECT_EQ(describe_execution(first_arm(least + "compression: {method: lwtopk, ratio: 0.01}\n")),
            "per_tensor (one exchange for each parameter tensor, after the backward pass), the default of "
            "`lwtopk`");
  EXPECT_EQ(describe_execution(first_arm(least + "exchange: {overlap: false}\n")),
            "after_backward (the whole gradient at once, after the backward pass), from "
            "`overlap`");
  EXPECT_EQ(
      describe_execution(first_arm(least + "exchange: {execution: horovod_fusion}\n")),
      "horovod_fusion (every 1 ms what is ready, in buckets of at most 128 MiB, overlapping the backward "
      "pass), stated");
  EXPECT_EQ(describe_execution(first_arm(least + "synchronisation: {method: asp}\n")),
            "each worker exchanges with the server by itself");
  const std::string decoupled = "synchronisation: {method: decoupled_diloco, every: 24";
  EXPECT_EQ(describe_execution(first_arm(least + decoupled + "}\n")),
            "each worker exchanges its model with a server by itself");
  EXPECT_EQ(describe_execution(first_arm(least + decoupled + ", fragments: 24}\n")),
            "each worker exchanges 24 fragments of its model with a server by itself");
}

TEST(Execution, FragmentsOfModelsAndWhatTheyOverlapAreDescribed) {
  const std::string diloco = "synchronisation: {method: diloco, every: 20";
  EXPECT_EQ(describe_execution(first_arm(least + diloco + ", delay: 1}\n")),
            "the whole model at once, after the optimizer, overlapping 1 step");
  EXPECT_EQ(describe_execution(first_arm(least + diloco + ", fragments: 2, delay: 3}\n")),
            "one of 2 fragments of the model at a time, after the optimizer, overlapping 3 steps");
  EXPECT_EQ(
      describe_execution(
          first_arm(least + diloco + ", eager: true}\n" + "compression: {method: block_4bit}\n")),
      "the change of the whole model at once by `block_4bit`, after the optimizer, overlapping the next "
      "round");
}

TEST(Execution, BuffersAreDescribedWhereTheyAreBroadcast) {
  const std::string text =
      "# ?\nworkload: {parameters: 1000, compute: 30 ms, batch: 32, buffers: 2 MB}\n"
      "cluster: {workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\ntraining: {batch: 32, steps: 2}\n";
  EXPECT_TRUE(describe_execution(first_arm(text))
                  .ends_with("; buffers of 2 MB are broadcast before the forward pass"));
  EXPECT_EQ(
      describe_execution(first_arm(text + "exchange: {broadcast_buffers: false}\n")).find("buffers of 2"),
      std::string::npos);
}

TEST(Execution, UnknownModelsAreRefused) {
  EXPECT_EQ(refusal(least + "exchange: {execution: ddp_overlp}\n"),
            "s.yaml:5:23: `exchange.execution`: unknown execution model `ddp_overlp`; did you mean "
            "`ddp_overlap`? accepted: ddp_overlap, ddp_hook, after_backward, per_tensor, horovod_fusion, "
            "deepspeed");
}

TEST(Execution, DenseModelsAreRefusedBesideCompression) {
  EXPECT_EQ(refusal(least + "exchange: {execution: deepspeed}\ncompression: {method: topk, ratio: 0.01}\n"),
            "s.yaml:5:23: `exchange.execution: deepspeed` needs uncompressed gradients; `compression.method: "
            "topk` compresses them; write `exchange.execution: ddp_hook`");
  EXPECT_EQ(refusal(least + "exchange: {execution: deepspeed}\n"), "accepted");
}

TEST(Execution, DenseModelsAreRefusedBesideAPolicy) {
  EXPECT_EQ(refusal(least + "exchange: {execution: ddp_overlap}\nlearner: live\n"
                            "compression: {policy: gravac, method: topk}\n"),
            "s.yaml:5:23: `exchange.execution: ddp_overlap` needs uncompressed gradients; "
            "`compression.method: topk` compresses them; write `exchange.execution: ddp_hook`");
}

}  // namespace
}  // namespace sim::scenario
