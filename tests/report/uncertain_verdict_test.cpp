// The time of compressing at which the winner changes, on step times that are lines.
#include "sim/report/uncertain_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using namespace testing;
using engine::CompressionCost;
using scenario::CostLevel;

/// A step of `alone` ms and all of compressing after it; 10 ms assumed, 1 ms at least, 5 to 80 ms published.
engine::ExplainedStep compressed_after(double alone, const CompressionCost& cost) {
  engine::ExplainedStep step = explained("all", 7, 3);
  step.dependence = engine::CompressionDependence{cost, {{ms(0), ms(alone)}, {ms(100), ms(alone + 100)}}};
  return step;
}

const CompressionCost kPublished{ms(10), ms(1), ms(80), ms(5), CostLevel::framework};

/// The compressed arm computes 100 ms, compresses 10 ms and exchanges 10 ms; the dense one exchanges longer.
void add_both(TestStudy& test, double dense_exchange, const CompressionCost& cost = kPublished) {
  test.add("dense", "none", {phase("all", {.exchange_ms = dense_exchange, .sent_mb = 9})}).explained = {
      explained("all", 7, dense_exchange - 7)};
  test.add("topk", "topk", {phase("all", {.exchange_ms = 10, .compress_ms = 10, .sent_mb = 1})}).explained = {
      compressed_after(110, cost)};
}

TEST(UncertainVerdict, SaysThatTimesWereMeasuredInTheFramework) {
  TestStudy test;
  add_both(test, 40);
  test.scenario().exchange.compression.framework.measured = true;
  EXPECT_THAT(verdicts(test.played), Contains(HasSubstr("5 ms to 80 ms were measured in PyTorch")));
}

TEST(UncertainVerdict, NamesTheTimeAtWhichTheWinnerChanges) {  // 100 + 40 = 110 + x
  TestStudy test;
  add_both(test, 40);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre("`dense` takes 140 ms per step. Not judged: `topk` is faster than `dense` if compressing "
                  "takes less than 30 ms; its floor is 1 ms, and 5 ms to 80 ms were published for PyTorch. "
                  "Measure it by `calibrate probe kernels`, or state `compression.time`."));
}

TEST(UncertainVerdict, IsCertainWhereTheSlowestCompressionWins) {  // 100 + 200 > 110 + 80
  TestStudy test;
  add_both(test, 200);
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(AllOf(
          HasSubstr("Faster, if it learns as well per sample: `topk` 1.57 to 2.7 times (120 ms per step)"),
          EndsWith("; compressing is assumed to take 10 ms: 5 ms to 80 ms were published "
                   "for PyTorch."))));
}

TEST(UncertainVerdict, IsCertainWhereTheFloorLoses) {  // 100 + 8 < 110 + 1
  TestStudy test;
  add_both(test, 8);
  EXPECT_THAT(verdicts(test.played), ElementsAre(StartsWith("plain dense all-reduce wins")));
}

TEST(UncertainVerdict, LetsNoBoundBeFasterByATie) {  // 110 + 1 is 1.8 % less than 100 + 13
  TestStudy test;
  add_both(test, 13);
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(StartsWith("`dense` and `topk` tie: `dense` takes 113 ms per step, 5.8 % less time "
                                     "than `topk` (120 ms per step), ")));
}

TEST(UncertainVerdict, NeverLetsAFloorWin) {
  TestStudy test;
  add_both(test, 200, {ms(10), ms(10), {}, {}, CostLevel::floor});
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr("if compressing takes less than 190 ms; its floor is 10 ms, and no time of it "
                            "is stated, measured or published")));
}

/// 100 + 5 + x of int8 against 300 of dense: 195 ms.
TEST(UncertainVerdict, SaysOfAnArmWithOnlyAFloorWhyItIsNotJudged) {
  TestStudy test;
  add_both(test, 200);
  const CompressionCost floor{ms(1), ms(1), {}, {}, CostLevel::floor};
  test.add("int8", "int8", {phase("all", {.exchange_ms = 5, .compress_ms = 1, .sent_mb = 2})}).explained = {
      compressed_after(105, floor)};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(AllOf(
          StartsWith("`dense` takes 300 ms per step. Faster, if it learns as well per sample: `topk` 1.57 to "
                     "2.7 times"),
          EndsWith(
              "published for PyTorch. Not judged: `int8` is faster than `dense` if compressing takes less "
              "than 190 ms; its floor is 1 ms, and no time of it is stated, measured or published. "
              "Measure it by `calibrate probe kernels`, or state `compression.time`."))));
}

/// An arm of which every tenth step compresses what it exchanges, in ten times 1 ms.
void add_local_steps(TestStudy& test, double exchange_ms, CostLevel level) {
  SimulatedArm& arm = test.add("local", "onebit",
                               {phase("all", {.exchange_ms = exchange_ms, .compress_ms = 1, .sent_mb = 1})});
  arm.result.compression_level = level;
  const std::int64_t steps = arm.result.whole.steps;
  arm.result.whole.methods = {{"", steps - steps / 10}, {"onebit", steps / 10}};
}

// 150 - 110 ms of a mean step are 400 ms of one that compresses, beside its 10 ms.
TEST(UncertainVerdict, NeverLetsLocalStepsWinByAFloor) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 9})});
  add_local_steps(test, 9, CostLevel::floor);
  EXPECT_THAT(verdicts(test.played),
              ElementsAre("`dense` takes 150 ms per step. Not judged: `local` is faster than `dense` if "
                          "compressing takes less than 410 ms for each exchange; only its floor is known, "
                          "and no time of it is stated, measured or published. Measure it by `calibrate "
                          "probe kernels`, or state `compression.time`."));
}

// 100 + 1 + 46 ms against 150, and 100 + 1 + 5 against 150.
TEST(UncertainVerdict, OfLocalStepsOfAnUnknownTimeTiesAtBestOrNeedsNoTime) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 9})});
  add_local_steps(test, 46, CostLevel::unknown);
  EXPECT_THAT(verdicts(test.played), ElementsAre("`dense` takes 150 ms per step."));
  add_local_steps(test, 5, CostLevel::unknown);
  test.played.arms.back().result.whole.methods = {{"", 10}};
  EXPECT_THAT(
      verdicts(test.played),
      ElementsAre(HasSubstr("Not judged: `local` is faster than `dense` if compressing takes no time at "
                            "all: its time is not stated, measured or published. ")));
}

TEST(UncertainVerdict, JudgesTheOthersBesideLocalStepsOfAFloor) {
  TestStudy test;
  add_both(test, 200);
  add_local_steps(test, 2, CostLevel::floor);
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(AllOf(HasSubstr("`topk` 1.57 to 2.7 times (120 ms per step)"),
                                HasSubstr("Not judged: `local` is faster than `dense` if"))));
}

TEST(UncertainVerdict, SaysWhatCanBeDoneOnAGpuWithoutCuda) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 50, .sent_mb = 9})});
  add_local_steps(test, 9, CostLevel::floor);
  netmodels::Device device;
  device.name = "mi300x_datasheet";
  test.scenario().work.device = device;
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(EndsWith("Time it in the framework and state `compression.time`: `calibrate probe "
                                   "kernels` measures NVIDIA GPUs and processors, and `mi300x_datasheet` "
                                   "states no `compute_capability` of CUDA.")));
}

TEST(UncertainVerdict, ComparesAFloorThatLosesAtItsLeastTime) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {.exchange_ms = 5, .sent_mb = 9})});
  add_local_steps(test, 46, CostLevel::floor);
  EXPECT_THAT(verdicts(test.played), ElementsAre(StartsWith("plain dense all-reduce wins")));
}

TEST(UncertainVerdict, CountsConditionsThatAreTooManyForAScreen) {
  TestStudy test;
  add_both(test, 40);
  const CompressionCost floor{ms(1), ms(1), {}, {}, CostLevel::floor};
  test.add("int8", "int8", {phase("all", {.exchange_ms = 5, .compress_ms = 1, .sent_mb = 2})}).explained = {
      compressed_after(105, floor)};
  test.add("slow", "int8", {phase("all", {.exchange_ms = 50, .compress_ms = 1, .sent_mb = 2})}).explained = {
      compressed_after(150, floor)};
  EXPECT_THAT(
      short_verdicts(test.played),
      ElementsAre(AllOf(HasSubstr("`int8` is faster than `dense` if compressing takes less than 35 ms"),
                        EndsWith(" 1 more likewise."), Not(HasSubstr("`slow`")))));
}

TEST(UncertainVerdict, OfOnlyLeastTimesNamesNoWinner) {
  TestStudy test;
  const CompressionCost unknown{ms(0), ms(0), {}, {}, CostLevel::unknown};
  test.add("a", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})}).explained = {
      compressed_after(110, unknown)};
  test.add("b", "dgc", {phase("all", {.exchange_ms = 90, .sent_mb = 9})}).explained = {
      compressed_after(190, unknown)};
  EXPECT_THAT(verdicts(test.played),
              ElementsAre("no winner without a learner, as the arms make different updates: `a` at least "
                          "110 ms per step, `b` at least 190 ms per step."));
}

TEST(UncertainVerdict, ComparesTheExchangesOfOneMethodWhateverCompressingTakes) {
  TestStudy test;
  const CompressionCost unknown{ms(0), ms(0), {}, {}, CostLevel::unknown};
  test.add("a", "topk", {phase("all", {.exchange_ms = 10, .sent_mb = 1})}).explained = {
      compressed_after(110, unknown)};
  test.add("b", "topk", {phase("all", {.exchange_ms = 90, .sent_mb = 9})}).explained = {
      compressed_after(190, unknown)};
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(AllOf(StartsWith("`a` wins with 110 ms per step"),
                                EndsWith("; the compression time of `a` is unknown and counts as 0."))));
}

TEST(UncertainVerdict, NeverLetsAnUnknownTimeWin) {
  TestStudy test;
  add_both(test, 200, {ms(0), ms(0), {}, {}, CostLevel::unknown});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("less than 180 ms; its time is not stated, measured or published")));
}

TEST(UncertainVerdict, OfMeasuredKernelsIsWithinTheirError) {  // 100 + 40 = 110 + 30
  TestStudy test;
  add_both(test, 40, {ms(10), ms(5), ms(60), {}, CostLevel::kernels});
  EXPECT_THAT(verdicts(test.played),
              ElementsAre(HasSubstr("less than 30 ms; measured kernels take 5 ms to 60 ms")));
}

}  // namespace
}  // namespace sim::report
