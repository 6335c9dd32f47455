// Unknowns of a step found again in figures that the simulator made, and in figures that were measured.
#include "sim/fit/step_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fit/fitted.hpp"

namespace sim::fit {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string true_link = "cluster.link={latency: 45 us, bandwidth: 6 Gbit/s}";
constexpr double gigabit = 1.25e8;

TEST(StepFits, FindTheGoodputOfASimulatedStep) {
  const auto step = simulated(assumed, "dense", {true_link});
  const auto fit = fitted(assumed, fmt::format("[{{step: {}, within: 1 %}}]", text_of_time(step)));
  ASSERT_TRUE(fit) << fit.error().text();
  const FittedUnknown& goodput = unknown(*fit, "goodput");
  ASSERT_TRUE(goodput.found.identified);
  EXPECT_NEAR(goodput.found.value, 6 * gigabit, 0.01 * 6 * gigabit);
  EXPECT_LT(goodput.low(), 6 * gigabit);
  EXPECT_GT(goodput.high(), 6 * gigabit);
  EXPECT_NEAR(fit->figures[0].explained.count, step.count, 0.01 * step.count);
}

TEST(StepFits, FindFourUnknownsFromFourFigures) {
  const std::string scenario =
      "# Half of the exchange hides\n"
      "workload: resnet50_v100\n"
      "cluster: {workers: 4, link: {latency: 45 us, bandwidth: 25 Gbit/s}}\n"
      "training: {batch: 32, steps: 10}\n"
      "compare: {dense: {}, topk: {compression: {method: topk, ratio: 1 %}}}\n";
  const std::vector<std::string> truth = {"cluster.link={latency: 45 us, bandwidth: 20 Gbit/s}",
                                          "compute.host_overhead=20 ms", "exchange.overlap_slowdown=0.3",
                                          "compare.topk.compression.time=40 ms"};
  const std::string measured = fmt::format(
      "[{{allreduce: 18.18 ms, bytes: 30 MB, within: 1 %}}, {{alone: 112.9298 ms, within: 1 %}}, {{step: {}, "
      "arm: dense, within: 1 %}}, {{step: {}, arm: topk, within: 1 %}}]",
      text_of_time(simulated(scenario, "dense", truth)), text_of_time(simulated(scenario, "topk", truth)));
  const auto fit =
      fitted(scenario, measured);  // by hand: 4 x 45 us + 1.5 x 30 MB / 2.5 GB/s; 95.7 - 2.77 + 20 ms
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(unknown(*fit, "goodput").found.value, 20 * gigabit, 0.01 * 20 * gigabit);
  EXPECT_NEAR(unknown(*fit, "host_overhead").found.value, 0.020, 0.01 * 0.020);
  EXPECT_NEAR(unknown(*fit, "overlap_slowdown").found.value, 0.3, 0.02);
  EXPECT_NEAR(unknown(*fit, "compression of `topk`").found.value, 0.040, 0.01 * 0.040);
  for (const FittedUnknown& each : fit->unknowns) EXPECT_TRUE(each.found.identified) << each.name();
  EXPECT_TRUE(fit->notes().empty());
}

TEST(StepFits, NameTheUnknownThatOneFigureDoesNotTell) {
  const auto step = simulated(assumed, "dense", {true_link});
  const auto fit =
      fitted(assumed, fmt::format("[{{step: {}}}]", text_of_time(step)), "fit: [goodput, host_overhead]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_TRUE(unknown(*fit, "goodput").found.identified);
  EXPECT_FALSE(unknown(*fit, "host_overhead").found.identified);
  EXPECT_THAT(
      fit->notes(),
      ElementsAre("host_overhead is not identified: the measurements do not tell it from goodput; the "
                  "scenario's 2.77 ms stay. The range of goodput allows for 277 us to 27.7 ms of "
                  "host_overhead (assumed: 2.77 ms within a factor of 10); to tell them apart, measure a "
                  "step of one worker alone (`alone`) or an all-reduce by itself (`allreduce`)."));
  EXPECT_THAT(fit->rests_on(unknown(*fit, "goodput")), ElementsAre("measured[0]"));
}

/// A host that takes 27.7 ms of a step needs faster links for the same step.
TEST(StepFits, HaveARangeThatHoldsWhatOtherUnknownsAllow) {
  const std::vector<std::string> truth = {true_link, "compute.host_overhead=27 ms"};
  const auto step = simulated(assumed, "dense", truth);
  const auto fit = fitted(assumed, fmt::format("[{{step: {}, within: 1 %}}]", text_of_time(step)));
  ASSERT_TRUE(fit) << fit.error().text();
  const FittedUnknown& goodput = unknown(*fit, "goodput");
  EXPECT_LT(goodput.found.value, 5.7 * gigabit);
  EXPECT_GT(goodput.high(), 5.9 * gigabit);
}

const std::string described =
    "# Two nodes of 4 GPUs\nworkload: resnet50_v100\ncluster: {use: rtx_4090_10gbit, "
    "nccl: {network: {measured_rate: 1.13 GB/s}}}\n"
    "training: {batch: 32, steps: 10}\n";

TEST(StepFits, FindTheGoodputOfAnInterfaceWhereNcclIsDescribed) {
  const auto step = simulated(
      described, "run",
      {"cluster.nccl.network.measured_rate=600 MB/s", "cluster.link={latency: 45 us, bandwidth: 600 MB/s}"});
  const auto fit =
      fitted(described,
             fmt::format("[{{step: {}, within: 1 %}}, {{alone: 95.7 ms, within: 1 %}}]", text_of_time(step)));
  ASSERT_TRUE(fit) << fit.error().text();
  const FittedUnknown& rate = unknown(*fit, "interface goodput");
  ASSERT_TRUE(rate.found.identified);
  EXPECT_EQ(rate.row->key, "cluster.nccl.network.measured_rate");
  EXPECT_NEAR(rate.found.value, 600e6, 6e6);
  ASSERT_TRUE(rate.stated);
  EXPECT_DOUBLE_EQ(*rate.stated, 1.13e9);
  for (const FittedUnknown& each : fit->unknowns) EXPECT_NE(each.name(), "goodput");
}

TEST(StepFits, KeepTheGoodputOfAnInterfaceBelowItsLineRate) {
  const auto step = simulated(described, "run", {"cluster.nccl.network.measured_rate=10 Gbit/s"});
  const auto fit =
      fitted(described, fmt::format("[{{step: {}}}]", text_of_time(0.99 * step)), "fit: [goodput]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  const FittedUnknown& rate = unknown(*fit, "interface goodput");
  ASSERT_TRUE(rate.found.identified);
  EXPECT_LE(rate.found.value, 10 * gigabit);
  EXPECT_LE(rate.high(), 10 * gigabit);
}

const std::string on_25_gigabit =
    "# Which goodput?\n"
    "workload: resnet50_v100\n"
    "cluster: {workers: 8, fabric: {kind: ethernet, rate: 25 Gbit/s, transport: nccl_tcp}}\n"
    "training: {batch: 32, steps: 10}\n";

// 102 MB take 1.75 x 102 MB / 25 Gbit/s = 57.1 ms and 14 latencies at the line rate.
TEST(StepFits, NeverExceedTheLineRateOfAFabric) {
  const auto fit = fitted(on_25_gigabit, "[{allreduce: 60 ms, bytes: 102 MB}]", "fit: [goodput]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_LE(unknown(*fit, "goodput").high(), 25 * gigabit);
  const auto impossible = fitted(on_25_gigabit, "[{allreduce: 18 ms, bytes: 102 MB}]", "fit: [goodput]\n");
  ASSERT_FALSE(impossible);
  EXPECT_THAT(
      impossible.error().text(),
      AllOf(HasSubstr("measured[0] (18 ms, explained: 57."),
            HasSubstr("is impossible: `goodput` would be above 25 Gbit/s, the line rate; check the bytes, "
                      "the workers, the rate and number of interfaces, and the time")));
}

TEST(StepFits, FindNoOverheadWhereAStepIsItsComputing) {
  const auto fit = fitted(on_25_gigabit, "[{alone: 92.93 ms, within: 1 %}]", "fit: [host_overhead]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  const FittedUnknown& host = unknown(*fit, "host_overhead");
  ASSERT_TRUE(host.found.identified);
  EXPECT_EQ(host.found.value, 0);
  EXPECT_EQ(host.low(), 0);
  EXPECT_LT(host.high(), 0.005);
  EXPECT_NEAR(fit->figures[0].explained.count, 0.09293, 1e-6);
  EXPECT_TRUE(fit->notes().empty());
}

TEST(StepFits, LeaveOutTheNetworkOfOneWorkerAloneWhereNcclIsDescribed) {
  const auto fit = fitted(described, "[{alone: 100 ms, within: 1 %}]");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(unknown(*fit, "host_overhead").found.value, 7.07e-3, 0.1e-3);  // 100 ms - 92.93 ms
  for (const FittedUnknown& each : fit->unknowns) EXPECT_NE(each.row->kind, scenario::StepUnknown::goodput);
}

TEST(StepFits, RefuseArmsWhoseNetworkIsStatedByDifferentKeys) {
  EXPECT_EQ(fit_error(described + "compare: {nccl: {}, path: {network: path}}\n",
                      "[{step: 300 ms, arm: nccl}, {step: 300 ms, arm: path}]"),
            "m.yaml:2:12: the unknown `goodput` is `cluster.link.bandwidth` of the arm `path` and "
            "`cluster.nccl.network.measured_rate` of the arm `nccl`; measure arms that share it, or leave "
            "`goodput` "
            "out of `fit`");
}

TEST(StepFits, SayWhereAValueIsFarFromWhatWasAssumed) {
  const auto fit = fitted(assumed, "[{allreduce: 24.78 ms, bytes: 10 MB}, {step: 500 ms}]",
                          "fit: [goodput, host_overhead]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_THAT(fit->notes(),
              Contains(AllOf(HasSubstr("host_overhead "),
                             HasSubstr(" ms lies outside of what was assumed, 2.77 ms within a factor "
                                       "of 10: something else may take the time; measure a step of "
                                       "one worker alone (`alone`)."))));
}

TEST(StepFits, KeepTheRangeOfATransportThatNoFigureTells) {
  const auto fit = fitted(assumed, "[{alone: 95.7 ms}]", "fit: [goodput, host_overhead]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_FALSE(unknown(*fit, "goodput").found.identified);
  EXPECT_NEAR(unknown(*fit, "goodput").found.factor, 1.8, 1e-6);  // 9 / 5 Gbit/s
  ASSERT_FALSE(fit->notes().empty());
  EXPECT_EQ(
      fit->notes().front(),
      "goodput is not identified: no measurement changes with it; the scenario's 9 Gbit/s stay (range of "
      "nccl_tcp over 10 Gbit/s Ethernet).");
}

TEST(StepFits, SayWhereAValueLiesOutsideOfItsPublishedRange) {
  const auto step = simulated(assumed, "dense", {"cluster.link={latency: 45 us, bandwidth: 2 Gbit/s}"});
  const auto fit =
      fitted(assumed, fmt::format("[{{step: {}, within: 1 %}}]", text_of_time(step)), "fit: [goodput]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  EXPECT_NEAR(unknown(*fit, "goodput").found.value, 2 * gigabit, 0.01 * 2 * gigabit);
  ASSERT_EQ(fit->notes().size(), 1U);
  EXPECT_THAT(fit->notes()[0], HasSubstr("lies outside of the published range, 5 Gbit/s to 9.5 Gbit/s"));
}

/// Four L40S whose links are held at 5 Gbit/s; DDP broadcasts 50.3 MB of position tables before each step.
/// Source of the figures: diloco-measured @07b7885, arms of DDP and of local SGD with H = 1: forward and
///         backward pass take 415 ms under DDP, all-reduces alone 313 ms; a step without exchange 21 ms.
const std::string four_l40s =
    "# How long do forward and backward pass take under DDP?\n"
    "workload: {name: debugmodel, parameters: 30846720, compute: 21 ms, batch: 8, buffers: 50331648 B}\n"
    "cluster: {workers: 4, link: {latency: 45 us, bandwidth: 5 Gbit/s}}\n"
    "training: {batch: 8, steps: 10}\n"
    "exchange: {execution: ddp_overlap, collective: ring_allreduce}\n";

TEST(StepFits, FindTheGoodputOfAMeasuredAllReduceAndPredictTheStep) {
  const auto fit =
      fitted(four_l40s, "[{allreduce: 313 ms, bytes: 123386880 B, within: 1 %}]", "fit: [goodput]\n");
  ASSERT_TRUE(fit) << fit.error().text();
  const double goodput = unknown(*fit, "goodput").found.value;
  EXPECT_NEAR(goodput / (5 * gigabit), 0.946, 0.003);  // 1.5 x 123.4 MB in 313 ms
  const std::string link = fmt::format("cluster.link={{latency: 45 us, bandwidth: {} B/s}}", goodput);
  const auto step = simulated(four_l40s, "run", {link});
  EXPECT_NEAR(step.count, 0.415, 0.03 * 0.415);
}

TEST(StepFits, RefuseAStepThatIsFasterThanItsComputing) {
  EXPECT_EQ(fit_error(assumed, "[{step: 80 ms}]"),
            "m.yaml:2:12: a step of 80 ms is faster than its computing alone, 92.93 ms (forward 29.72 ms, "
            "backward 62.1 ms, optimizer 1.105 ms); check the unit, the workload's device and "
            "`training.batch`");
  EXPECT_THAT(fit_error(assumed, "[{alone: 80 ms}]", "fit: [goodput]\n"),
              HasSubstr("95.7 ms (forward 29.72 ms, backward 62.1 ms, optimizer 1.105 ms, host 2.77 ms)"));
}

TEST(StepFits, RefuseFiguresThatContradictEachOtherAndNameThem) {
  EXPECT_EQ(fit_error(assumed,
                      "[{allreduce: 35 ms, bytes: 10 MB, within: 1 %}, {allreduce: 35 ms, bytes: 20 MB, "
                      "within: 1 %}]"),
            "m.yaml:2:59: measured[0] (35 ms, explained: 24.78 ms) and measured[1] (35 ms, explained: 49.37 "
            "ms) contradict each other: no values of the unknowns explain both within their errors; check "
            "units, workers and arms, raise `within`, or name more unknowns under `fit`");
  EXPECT_EQ(fit_error(assumed, "[{alone: 200 ms}]", "fit: [goodput]\n"),
            "m.yaml:2:12: no values of the unknowns explain measured[0] (200 ms, explained: 95.7 ms); check "
            "units, workers and arms, raise `within`, or name more unknowns under `fit`");
}

TEST(StepFits, RefuseAnUnknownArmAndArmsThatShareNoLink) {
  EXPECT_EQ(fit_error(assumed, "[{alone: 100 ms, arm: dens}]"),
            "m.yaml:2:12: unknown arm `dens`; did you mean `dense`? accepted: dense, topk");
  EXPECT_EQ(fit_error(four_l40s, "[{alone: 100 ms, arm: dense}]"),
            "m.yaml:2:12: unknown arm `dense`; the scenario has no arms: leave out `arm`");
  const std::string other = assumed + "  slow: {cluster: {link: {latency: 45 us, bandwidth: 1 Gbit/s}}}\n";
  EXPECT_EQ(fit_error(other, "[{step: 300 ms}, {step: 1 s, arm: slow}]"),
            "m.yaml:2:28: the arms `dense` (9 Gbit/s) and `slow` (1 Gbit/s) differ in "
            "`cluster.link.bandwidth`, which is one unknown; measure arms that share it, or leave `goodput` "
            "out of `fit`");
}

TEST(StepFits, RefuseUnknownsThatNoMeasuredArmHas) {
  EXPECT_EQ(
      fit_error(assumed, "[{step: 300 ms, arm: dense}]", "fit: [compression]\n"),
      "m.yaml:2:12: none of the unknowns under `fit` is part of what was measured; measure a step of an arm "
      "that compresses, or name others: goodput, host_overhead, overlap_slowdown, compression");
}

TEST(StepFits, RefuseWorkersThatTheClusterDoesNotTake) {
  EXPECT_THAT(fit_error(four_l40s, "[{allreduce: 1 s, bytes: 1 MB, workers: 1}]"),
              HasSubstr("an all-reduce needs 2 workers or more"));
  const std::string nodes =
      "# Nodes\nworkload: resnet50_v100\ncluster: {workers: 4, workers_per_node: 2, link: {latency: 45 us, "
      "bandwidth: 5 Gbit/s}, inner_link: {latency: 5 us, bandwidth: 50 Gbit/s}}\n"
      "training: {batch: 8, steps: 10}\n";
  EXPECT_THAT(fit_error(nodes, "[{step: 1 s, workers: 3}]"), HasSubstr("m.yaml:2:12: "));
}

}  // namespace
}  // namespace sim::fit
