// Lost time of steps with figures by hand, networks found again, and changes that are as fast as simulated.
#include "sim/fit/step_loss.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/fit/step_loss_text.hpp"
#include "tests/fit/fitted.hpp"
#include "tests/joined_lines.hpp"

namespace sim::fit {
namespace {

using namespace testing;
using namespace netmodels::literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A step of 1 s on one worker, all of it computing; then 100 MB of gradients at once. On four workers, a
/// ring takes 2 x 3/4 x 100 MB / (100 MB/s) = 1.5 s and 6 x 10 ms of latency.
const std::string four_workers =
    "# Where does the time go?\n"
    "workload: {parameters: 25000000, tensors: 1, compute: 1 s, batch: 10}\n"
    "cluster: {workers: 4, link: {latency: 10 ms, bandwidth: 100 MB/s}}\n"
    "training: {batch: 10, steps: 5}\n"
    "exchange: {collective: ring_allreduce, overlap: false}\n";

netmodels::Result<StepLoss> loss_of(const std::string& text, const std::vector<std::string>& settings = {},
                                    std::optional<netmodels::Seconds> step = {},
                                    std::optional<netmodels::Seconds> alone = {}) {
  const tests::ScratchFolder scratch;
  const auto file = scratch.write("s.yaml", text);
  const auto read = [&](std::span<const std::string> more) -> netmodels::Result<scenario::Scenario> {
    std::vector<std::string> all = settings;
    all.insert(all.end(), more.begin(), more.end());
    GRADSIM_TRY(reading, scenario::read_study(file, all, data_folder, report::expectable_metrics()));
    return reading->study.arms.front();
  };
  return step_loss({read, step, alone});
}

double lost(const StepLoss& loss, std::string_view key) {
  const auto found = std::ranges::find(loss.lost, key, &LostTime::key);
  return found == loss.lost.end() ? 0 : found->time.count;
}

double sum_of(const StepLoss& loss) {
  return std::accumulate(loss.lost.begin(), loss.lost.end(), 0.0,
                         [](double sum, const LostTime& one) { return sum + one.time.count; });
}

std::string text_of(const StepLoss& loss) {
  return tests::joined_lines(command_line::print("table", step_loss_document(loss, "s.yaml")));
}

TEST(StepLosses, AreThePartsOfAStepByHand) {
  const auto loss = loss_of(four_workers);
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_NEAR(loss->alone.count, 1, 1e-9);
  EXPECT_NEAR(loss->step.count, 2.56, 1e-9);
  EXPECT_NEAR(loss->efficiency(), 1 / 2.56, 1e-9);
  EXPECT_NEAR(lost(*loss, "exposed_bandwidth_s"), 1.5, 1e-7);
  EXPECT_NEAR(lost(*loss, "exposed_latency_s"), 0.06, 1e-7);
  EXPECT_NEAR(sum_of(*loss), 1.56, 1e-9);
  ASSERT_THAT(loss->ceilings, SizeIs(2));
  EXPECT_NEAR(loss->ceilings[0].step.count, 1.81, 1e-9);  // half of 1.5 s
  EXPECT_NEAR(loss->ceilings[1].step.count, 1, 1e-9);
}

TEST(StepLosses, WaitingForASlowWorkerIsAPart) {
  const auto loss = loss_of(four_workers, {"cluster.speeds=[1, 1, 1, 0.5]"});
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_NEAR(loss->step.count, 3.56, 1e-9);
  EXPECT_NEAR(loss->alone.count, 4 / 3.5, 1e-9);        // at the sum of their rates
  EXPECT_NEAR(lost(*loss, "wait_time_s"), 0.75, 1e-9);  // of three workers 1 s each
  EXPECT_NEAR(lost(*loss, "slowed_compute_s"), 1.25 - 4 / 3.5, 1e-9);
  EXPECT_NEAR(sum_of(*loss), 3.56 - 4 / 3.5, 1e-9);
  EXPECT_THAT(text_of(*loss), HasSubstr("a step takes 3.56 s, and 1.14 s if each worked by itself."));
}

TEST(StepLosses, AMeasuredStepNamesTheGoodputThatExplainsIt) {
  const auto loss = loss_of(four_workers, {}, 4.06_s);  // 3 s in place of 1.5 s of bandwidth
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_NEAR(loss->predicted.count, 2.56, 1e-9);
  ASSERT_TRUE(loss->network);
  EXPECT_EQ(loss->network->key, "cluster.link.bandwidth");
  EXPECT_EQ(loss->network->value, "400 Mbit/s");
  EXPECT_EQ(loss->network->stated, "800 Mbit/s");
  EXPECT_NEAR(lost(*loss, "exposed_bandwidth_s"), 3, 0.01);
  EXPECT_NEAR(sum_of(*loss), 3.06, 1e-3);
  EXPECT_EQ(loss->ceilings[0].what, "the network as stated");
  EXPECT_NEAR(loss->ceilings[0].step.count, 2.56, 1e-9);
}

TEST(StepLosses, AMeasuredStepOfOneWorkerScalesComputing) {
  const auto loss = loss_of(four_workers, {}, {}, 3_s);
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_NEAR(loss->step.count, 4.56, 1e-9);
  EXPECT_NEAR(lost(*loss, "slowed_compute_s"), 0, 1e-9);
}

TEST(StepLosses, ATimeThatNoGoodputExplainsIsAPartOfItsOwn) {
  const auto loss = loss_of(four_workers, {}, 1.03_s);  // less than its latency
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_FALSE(loss->network);
  EXPECT_NEAR(lost(*loss, "unexplained_s"), 1.03 - 2.56, 1e-9);
  EXPECT_NEAR(sum_of(*loss), 0.03, 1e-9);
}

TEST(StepLosses, ChangesAreSimulatedAndTheBestOfEachKindIsNamed) {
  const auto loss = loss_of(four_workers);
  ASSERT_TRUE(loss) << loss.error().text();
  ASSERT_THAT(loss->remedies, SizeIs(3));
  EXPECT_EQ(describe(loss->remedies[0].kind), "lossy gradients");
  EXPECT_TRUE(loss->remedies[0].is_at_least);
  EXPECT_EQ(describe(loss->remedies[1].kind), "larger batches");
  EXPECT_NEAR(loss->remedies[1].result.step.count, 4 + 1.56, 1e-9);
  EXPECT_NEAR(loss->remedies[1].result.efficiency, 4 / 5.56, 1e-9);
  EXPECT_EQ(describe(loss->remedies[2].kind), "local steps");
  EXPECT_NEAR(loss->remedies[2].result.step.count, 1 + 1.56 / 8, 1e-9);
  for (const StepRemedy& remedy : loss->remedies)
    EXPECT_GT(remedy.result.efficiency, loss->efficiency() * 1.075) << remedy.result.what;
}

TEST(StepLosses, AChangeThatKeepsTheUpdateComesFirst) {
  const auto loss = loss_of(four_workers, {"workload.tensors=64"});
  ASSERT_TRUE(loss) << loss.error().text();
  ASSERT_FALSE(loss->remedies.empty());
  EXPECT_EQ(describe(loss->remedies[0].kind), "the same update");
  EXPECT_EQ(loss->remedies[0].result.what, "exchange.overlap=true");
}

// The host works 0.5 s in each micro-batch: accumulating four of them hides nothing of that.
TEST(StepLosses, NoChangeThatKeepsEveryUpdateWholeExceedsWhatWorkersAloneReach) {
  const auto loss = loss_of(four_workers, {"compute.host_overhead=500 ms"});
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_FALSE(loss->remedies.empty());
  for (const StepRemedy& remedy : loss->remedies) {
    const bool is_whole = remedy.kind == ChangeKind::exact || remedy.kind == ChangeKind::batch;
    EXPECT_TRUE(!is_whole || remedy.result.efficiency <= 1 + 1e-9) << remedy.result.what;
  }
}

TEST(StepLosses, TheRangeOfATransportIsThatOfTheEfficiency) {
  const auto loss = loss_of(assumed);
  ASSERT_TRUE(loss) << loss.error().text();
  ASSERT_TRUE(loss->range);
  EXPECT_LT(loss->range->first.efficiency, loss->efficiency());
  EXPECT_GT(loss->range->second.efficiency, loss->efficiency());
  EXPECT_EQ(loss->ceilings[0].what, "its line rate, 10 Gbit/s");
  EXPECT_THAT(text_of(*loss), HasSubstr("over the published range of the network's goodput, 5 Gbit/s to 9.5 "
                                        "Gbit/s: "));
}

TEST(StepLosses, CompressedStepsHaveNoTrials) {
  const auto loss = loss_of(four_workers, {"compression.method=fp16", "compression.time=1 ms"});
  ASSERT_TRUE(loss) << loss.error().text();
  EXPECT_THAT(loss->tried, SizeIs(0));
  EXPECT_THAT(loss->remedies, SizeIs(0));
  EXPECT_NEAR(lost(*loss, "compress_time_s"), 0.001, 1e-9);
  EXPECT_THAT(text_of(*loss), HasSubstr("No change was simulated"));
}

TEST(StepLosses, SaysHowManyWorkersWorthIsDone) {
  const auto loss = loss_of(four_workers);
  ASSERT_TRUE(loss) << loss.error().text();
  const std::string text = text_of(*loss);
  EXPECT_THAT(text, HasSubstr("4 workers do the work of 1.6 (39 %): a step takes 2.56 s, and 1 s on one "
                              "worker."));
}

TEST(StepLosses, RefuseTimesThatContradictEachOther) {
  const auto refusal = [](const auto& loss) { return loss ? "accepted" : loss.error().text(); };
  EXPECT_EQ(refusal(loss_of(four_workers, {}, 0.5_s)),
            "--step: a step of 500 ms is shorter than that of one worker alone, 1 s; measure one worker with "
            "the same batch (`--alone`)");
  EXPECT_EQ(refusal(loss_of(four_workers, {"workload.host_overhead=20 ms"}, {}, 0.01_s)),
            "--alone: 10 ms is no longer than the host overhead of the scenario, 20 ms; state "
            "`compute.host_overhead`");
  EXPECT_EQ(refusal(loss_of(four_workers, {"cluster.workers=1"})),
            "cluster.workers: there is one worker, which loses nothing to others; write `cluster.workers` of "
            "at least 2");
}

}  // namespace
}  // namespace sim::fit
