// Whole trainings that learn: local steps, exchanges of models, failures, and the learner by hand.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learning/datasets/catalogue.hpp"
#include "learning/learners/live_learner.hpp"
#include "learning/learners/parametric_learner.hpp"
#include "learning/learners/replay_learner.hpp"
#include "learning/models/catalogue.hpp"
#include "policies/diloco.hpp"
#include "policies/local_steps.hpp"
#include "policies/post_local.hpp"
#include "policies/qsr.hpp"
#include "policies/selsync.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/reason_text.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using learning::learners::learner;
using learning::learners::live;

scenario::Scenario periodic(int workers, std::int64_t every, std::int64_t steps) {
  scenario::Scenario scenario = plain(workers, 1_ms, kSlow, steps);
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = every});
  return scenario;
}

/// A small network on the shipped digits, tested after every tenth step.
scenario::Scenario live_training(int workers, std::int64_t steps) {
  scenario::Scenario scenario = plain(workers, 1_ms, kSlow, steps);
  scenario.work.training.batch = 16;
  scenario.learner.kind = live("mlp_32");
  scenario.learner.evaluate_every = 10;
  return scenario;
}

std::vector<double> accuracies(const ArmResult& result) {
  std::vector<double> found;
  for (const Evaluated& test : result.learning->curve) found.push_back(test.accuracy);
  return found;
}

std::vector<double> accuracies(const scenario::Scenario& scenario) { return accuracies(result_of(scenario)); }

TEST(Divergence, EndsATrainingWithItsStep) {
  scenario::Scenario scenario = plain(2, 1_ms, kSlow, 200);
  scenario.work.training.batch = 16;
  learning::learners::LiveSettings settings{.model = "mlp_32"};
  settings.optimizer = {learning::models::optimizer("sgd", learning::models::Sgd{.weight_decay = 10}), 1000};
  scenario.learner.kind = learner("live", settings);
  scenario.learner.evaluate_every = 1000;
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.1;
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.ending, Ending::diverged);
  EXPECT_LT(result.whole.steps, 200);
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_EQ(report::reason_text(result.events[0].what),
            "the loss became NaN in step " + std::to_string(result.whole.steps) + ": training stops");
  ASSERT_EQ(result.learning->curve.size(), 1U);  // tested where it ended
  EXPECT_EQ(result.learning->curve[0].loss, std::nullopt);
  EXPECT_TRUE(std::isfinite(result.learning->mean_gain.value_or(0)));
}

// Steps 2 and 5 end with a ring of 16 MB (6 rounds of 41 ms), the others cost their 121 ms only.
TEST(LocalSteps, SendNothingAndCostTheirComputingOnly) {
  const auto steps = steps_of(periodic(4, 3, 6));
  for (const std::size_t local : {0U, 1U, 3U, 4U}) {
    EXPECT_NEAR(steps[local].duration.count, 0.121, kTiny) << local;
    EXPECT_EQ(steps[local].traffic, Traffic::nothing) << local;
    EXPECT_EQ(steps[local].sent, netmodels::Bytes{}) << local;
    EXPECT_EQ(steps[local].collective, "") << local;
  }
  for (const std::size_t together : {2U, 5U}) {
    EXPECT_NEAR(steps[together].duration.count, 0.367, kTiny) << together;
    EXPECT_EQ(steps[together].traffic, Traffic::parameters) << together;
    EXPECT_EQ(steps[together].sent, 24_MB) << together;
    EXPECT_EQ(steps[together].collective, "ring_allreduce") << together;
  }
}

TEST(LocalSteps, AreCounted) {
  const ArmResult result = result_of(periodic(4, 3, 6));
  EXPECT_EQ(result.local_steps, 4);
  EXPECT_NEAR(result.time.count, 6 * 0.121 + 2 * 0.246, kTiny);
  EXPECT_EQ(result.whole.sent_by_all, 192_MB);
  EXPECT_EQ(result.learner, "none: times only, accuracy is not predicted");
  EXPECT_FALSE(result.learning.has_value());
}

TEST(LocalSteps, WaitForNobodyWithinAStepThatIsTheSlowestWorkers) {
  scenario::Scenario scenario = periodic(2, 2, 1);
  scenario.cluster.speeds = {1, 0.5};
  EXPECT_NEAR(steps_of(scenario)[0].duration.count, 0.242, kTiny);
}

// A model is not cut into buckets and not hidden by the backward pass.
TEST(Parameters, AreSentAtOnceWhateverHappensToGradients) {
  scenario::Scenario scenario = periodic(4, 1, 1);
  scenario.exchange.collective = "recursive_doubling_allgather";
  scenario.exchange.first_bucket = {4e6};
  scenario.exchange.bucket = {4e6};
  scenario.exchange.overlap = true;
  scenario.exchange.probe.oracle = true;
  const StepRecord step = steps_of(scenario).at(0);
  EXPECT_NEAR(step.duration.count, 0.121 + 0.004 + 0.24, kTiny);  // halving and doubling: 4 rounds
  EXPECT_EQ(step.sent, 24_MB);
  EXPECT_EQ(step.ratio, 1);
  EXPECT_EQ(step.method, "");
  EXPECT_EQ(step.parts.compress, netmodels::Seconds{});
}

// 4 million values: signs and scales of 15,625 blocks, from each to three others.
TEST(Parameters, ThatAreCompressedAreSentAsTheirChange) {
  scenario::Scenario scenario = periodic(4, 2, 4);
  scenario.exchange.compression = sent_as("block_1bit", 1, 50_ms);
  scenario.exchange.overlap = true;
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[0].sent, netmodels::Bytes{});
  EXPECT_EQ(steps[0].method, "");
  EXPECT_EQ(steps[1].traffic, Traffic::parameters);
  EXPECT_NEAR(steps[1].sent->count, 3 * (500e3 + 4 * 15625), 1e-6);
  EXPECT_EQ(steps[1].method, "block_1bit");
  EXPECT_NEAR(steps[1].parts.compress.count, 0.050, kTiny);
  EXPECT_GT(steps[1].parts.exchange, netmodels::Seconds{});  // after the backward pass, whatever overlaps
}

// An all-reduce of one byte for each value and of the scales: 3/2 of 4.0625 MB in place of 3/2 of 16 MB.
TEST(Parameters, ThatAreCodedAgainWhereTheyAreSummedAreAllReduced) {
  scenario::Scenario scenario = periodic(4, 1, 1);
  scenario.exchange.compression = sent_as("block_8bit", 1, 0_ms);
  scenario.exchange.collective = "ring_allreduce";
  const StepRecord step = steps_of(scenario).at(0);
  EXPECT_NEAR(step.sent->count, 1.5 * (4e6 + 4 * 15625), 1e-3);
  EXPECT_EQ(step.collective, "ring_allreduce");
}

policies::SynchronisationChoice streamed(std::int64_t every, std::int64_t fragments, std::int64_t delay) {
  return policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{.every = every, .fragments = fragments, .delay = delay});
}

// A ring of 16 MB takes 246 ms in a step of 121 ms; a quarter of it 6 ms + 60 ms. Per step and worker as many
// bytes are sent in all, a quarter at a time.
TEST(Streaming, SendsFragmentsInTurn) {
  scenario::Scenario scenario = periodic(4, 4, 8);
  scenario.exchange.collective = "ring_allreduce";
  scenario.exchange.synchronisation = streamed(4, 4, 0);
  for (const StepRecord& step : steps_of(scenario)) {
    EXPECT_EQ(step.sent, 6_MB);
    EXPECT_NEAR(step.duration.count, 0.121 + 0.066, kTiny);
  }
}

// Half of it, 6 ms + 120 ms, is through before the two steps after it are: 242 ms. Its step does not wait.
TEST(Streaming, HidesExchangesThatTheNextStepsAreLongerThan) {
  scenario::Scenario scenario = periodic(4, 4, 8);
  scenario.exchange.collective = "ring_allreduce";
  scenario.exchange.synchronisation = streamed(4, 2, 2);
  for (const StepRecord& step : steps_of(scenario))
    EXPECT_NEAR(step.duration.count, 0.121, kTiny) << step.step;
}

// Over one step 5 ms are left of 126 ms, for which that step waits: steps 2 and 4, 6 and 8 send (from 1).
TEST(Streaming, WaitsForWhatIsDueAndHasNotArrived) {
  scenario::Scenario scenario = periodic(4, 4, 7);
  scenario.exchange.collective = "ring_allreduce";
  scenario.exchange.synchronisation = streamed(4, 2, 1);
  std::vector<double> waited;
  for (const StepRecord& step : steps_of(scenario)) waited.push_back(step.duration.count - 0.121);
  EXPECT_THAT(waited, ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                           std::vector<double>{0, 0, 0.005, 0, 0.005, 0, 0.005}));
}

policies::SynchronisationChoice eager(std::int64_t every) {
  return policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = every, .eager = true});
}

// 246 ms of exchange hide behind the four steps of 121 ms that follow; of two steps, 242 ms, they leave 4 ms,
// for which the next exchanging step waits: steps 2, 4, 6 send (from 1). The last step waits for what the
// next one would not have hidden.
TEST(Eager, AnExchangeOverlapsTheWholeFollowingRound) {
  scenario::Scenario scenario = periodic(4, 4, 7);
  scenario.exchange.collective = "ring_allreduce";
  const auto waited = [&](std::int64_t every) {
    scenario.exchange.synchronisation = eager(every);
    std::vector<double> found;
    for (const StepRecord& step : steps_of(scenario)) found.push_back(step.duration.count - 0.121);
    return found;
  };
  EXPECT_THAT(waited(4), ::testing::Each(::testing::DoubleNear(0, 1e-9)));
  EXPECT_THAT(waited(2), ::testing::Pointwise(::testing::DoubleNear(1e-9),
                                              std::vector<double>{0, 0, 0, 0.004, 0, 0.004, 0.004}));
}

// A round of so small a model goes far, so that a momentum would overshoot on what comes late.
TEST(Eager, Trains) {
  scenario::Scenario scenario = live_training(4, 120);
  scenario.exchange.synchronisation = policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{.every = 8, .outer_momentum = 0, .eager = true});
  EXPECT_GT(accuracies(scenario).back(), 0.85);
}

TEST(Streaming, TrainsInFragments) {
  scenario::Scenario scenario = live_training(4, 120);
  scenario.exchange.synchronisation = policies::synchronisation(
      "diloco", policies::DiLoCo::Settings{
                    .every = 8, .outer_momentum = 0.5, .fragments = 2, .delay = 1, .mixing = 0.5});
  EXPECT_GT(accuracies(scenario).back(), 0.85);
}

TEST(Parameters, OfAnOuterStepAreCompressedAlike) {
  scenario::Scenario scenario = periodic(4, 2, 2);
  scenario.exchange.compression = sent_as("block_1bit", 1, 50_ms);
  const StepRecord mean = steps_of(scenario).at(1);
  scenario.exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 2});
  const StepRecord outer = steps_of(scenario).at(1);
  EXPECT_EQ(outer.sent, mean.sent);
  EXPECT_EQ(outer.duration, mean.duration);
}

TEST(Parameters, GradientsOfAPeriodAreCompressed) {
  scenario::Scenario scenario = periodic(4, 2, 2);
  scenario.exchange.synchronisation.edit<policies::Periodic::Settings>().averaged =
      policies::Averaged::gradients;
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.collective = "recursive_doubling_allgather";
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[1].traffic, Traffic::gradients);
  EXPECT_EQ(steps[1].ratio, 0.01);
  EXPECT_NEAR(steps[1].sent->count, 3 * 320e3, 1e-6);
}

TEST(Parameters, ExplainShowsThemWhereTheyAreWhatIsExchanged) {
  ClusterCache clusters;
  const auto explained = explain(periodic(4, 3, 6), clusters).value();
  EXPECT_EQ(explained.at(0).step.traffic, Traffic::parameters);
  EXPECT_NEAR(explained[0].step.duration.count, 0.367, kTiny);
}

// Gradients in three steps, then the mean of parameters in steps 4 and 6 (from 1).
TEST(Live, PostLocalStepsBeginWithGradients) {
  scenario::Scenario scenario = live_training(2, 6);
  scenario.exchange.synchronisation = policies::synchronisation(
      "post_local",
      policies::PostLocal::Settings{.every = 2, .local_from = {settings::Moment::Unit::step, 3}});
  std::vector<Traffic> traffic;
  for (const StepRecord& step : steps_of(scenario)) traffic.push_back(step.traffic);
  const Traffic gradients = Traffic::gradients, local = Traffic::nothing, models = Traffic::parameters;
  EXPECT_EQ(traffic, (std::vector<Traffic>{gradients, gradients, gradients, models, local, models}));
}

// Changes are counted from the model that the gradient steps left: with every value sent, the compressed run
// and the other differ by rounding only.
TEST(Live, ChangesAfterGradientStepsAreFromTheModelThatTheyLeft) {
  scenario::Scenario whole = live_training(2, 40);
  whole.exchange.synchronisation = policies::synchronisation(
      "post_local",
      policies::PostLocal::Settings{.every = 4, .local_from = {settings::Moment::Unit::step, 20}});
  scenario::Scenario halves = whole;
  halves.exchange.compression.method = "bf16";
  EXPECT_NEAR(accuracies(halves).back(), accuracies(whole).back(), 0.02);
}

TEST(Live, ALowerRateExchangesLessOften) {  // (0.2 / 0.1)^2 = 4 steps; halved at step 8: 16; the last
  scenario::Scenario scenario = live_training(2, 30);
  auto& live = scenario.learner.kind.edit<learning::learners::LiveSettings>();
  live.optimizer.learning_rate = 0.1;
  live.rate.changes = {{{settings::Moment::Unit::step, 8}, 0.5}};
  scenario.exchange.synchronisation =
      policies::synchronisation("qsr", policies::Qsr::Settings{.every = 1, .alpha = 0.2});
  std::vector<std::int64_t> exchanges;
  for (const StepRecord& step : steps_of(scenario))
    if (step.traffic == Traffic::parameters) exchanges.push_back(step.step);
  EXPECT_EQ(exchanges, (std::vector<std::int64_t>{3, 7, 23, 29}));
}

TEST(Live, ChangesOfOneBitTrainAlmostAsWholeModelsDo) {
  scenario::Scenario whole = live_training(4, 120);
  whole.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 6});
  scenario::Scenario signs = whole;
  signs.exchange.compression.method = "block_1bit";
  const ArmResult by_signs = result_of(signs);
  EXPECT_LT(by_signs.whole.sent_by_all->count, 0.08 * result_of(whole).whole.sent_by_all->count);
  EXPECT_GT(accuracies(by_signs).back(), accuracies(whole).back() - 0.03);
  EXPECT_GT(*by_signs.learning->mean_gain, 0.2);  // as of signs: squared mean over mean square
  EXPECT_LT(*by_signs.learning->mean_gain, 1);
}

TEST(Live, OneBitAdamIsAdamWWithoutDecayUntilItsWarmUpIsOver) {
  using learning::models::optimizer;
  scenario::Scenario dense = live_training(4, 40);
  learning::learners::LiveSettings settings{.model = "mlp_32"};
  settings.optimizer = {optimizer("adamw", learning::models::AdamW{.weight_decay = 0}), 0.003};
  dense.learner.kind = learner("live", settings);
  scenario::Scenario signs = dense;
  settings.optimizer.method = optimizer("onebit_adam", learning::models::OneBitAdam{});
  signs.learner.kind = learner("live", settings);
  signs.exchange.compression.method = "onebit_adam";
  signs.exchange.compression.warm_up = {.shape = policies::RatioShape::dense, .steps = 20};
  const auto whole = result_of(dense).learning->curve;
  const auto coded = result_of(signs).learning->curve;
  ASSERT_EQ(whole.size(), 4U);
  ASSERT_EQ(coded.size(), 4U);
  for (const std::size_t early : {0U, 1U}) EXPECT_EQ(coded[early].loss, whole[early].loss) << early;
  EXPECT_NE(coded[2].loss, whole[2].loss);
  EXPECT_LT(*coded[3].loss, *coded[1].loss);  // it goes on learning
  EXPECT_LT(coded[3].at, whole[3].at);
}

TEST(Live, AServerLearnsFromStaleGradients) {
  scenario::Scenario scenario = live_training(4, 100);
  scenario.exchange.synchronisation =
      policies::synchronisation("ssp", policies::StaleSynchronous{.staleness = 2, .push_share = 0.25});
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.learning->curve.size(), 10U);
  EXPECT_GT(result.learning->last_accuracy, 0.85);
}

// 61 ms for five samples, 121 ms for ten: the ring of two waits for the second worker.
TEST(Batches, TheLongestSetsThePace) {
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.work.training.batches = {5, 10};
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.step_time().count, 0.121 + 0.16, kTiny);
  EXPECT_NEAR(result.whole.parts.wait.count, 0.03, kTiny);
  EXPECT_NEAR(result.whole.samples_per_second, 15 / 0.281, 1e-9);
}

TEST(Batches, EpochsCountTheSamplesThatThereAre) {  // 15 a step of 1000; 10 once the first worker is lost
  scenario::Scenario scenario = plain(2, {}, kSlow, 1);
  scenario.work.training = {10, 1, 1000, std::nullopt, {5, 10}, {}};
  EXPECT_EQ(result_of(scenario).whole.steps, 67);
  scenario.cluster.failures = {{0, std::nullopt, {0.1}, std::nullopt}};
  EXPECT_EQ(result_of(scenario).whole.steps, 100);
}

TEST(Live, TheSameSeedGivesTheSameFiguresAndAnotherOneOthers) {
  scenario::Scenario scenario = live_training(2, 40);
  const auto first = accuracies(scenario);
  EXPECT_EQ(accuracies(scenario), first);
  scenario.simulation.seed = 2;
  EXPECT_NE(accuracies(scenario), first);
}

TEST(Live, TimeDoesNotDecideWhatIsLearnedWhereAllWait) {
  scenario::Scenario scenario = live_training(2, 20);
  const auto fast = accuracies(scenario);
  scenario.cluster.link.bandwidth = netmodels::Bandwidth{1e6};
  scenario.cluster.speeds = {1, 0.1};
  EXPECT_EQ(accuracies(scenario), fast);
}

/// The learner of `live`, without an engine around it.
std::unique_ptr<learning::learners::LiveLearner> by_hand(const scenario::Scenario& scenario) {
  learning::learners::LiveTraining training;
  training.dataset = learning::datasets::load({}, tests::source_dir() + "/scenarios").value();
  training.model = learning::models::make(
                       "mlp_32", {training.dataset->kind, training.dataset->shape, training.dataset->classes})
                       .value();
  training.stated.optimizer = {learning::models::optimizer("sgd", learning::models::Sgd{0.9, false, 0}),
                               0.05};
  training.job.workers = static_cast<std::uint32_t>(scenario.cluster.workers);
  training.job.seed = scenario.simulation.seed;
  return learning::learners::LiveLearner::make(training).value();
}

TEST(Live, PlayedIsTheLearnerDrivenByHand) {
  const scenario::Scenario scenario = live_training(2, 20);
  const auto learner = by_hand(scenario);
  const std::vector<learning::learners::Share> shares{{0, 16}, {1, 16}};
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 20U);
  for (const StepRecord& step : steps) {
    EXPECT_EQ(step.learning->loss, learner->compute(shares).loss) << step.step;
    EXPECT_EQ(step.learning->mean_squared_norm, learner->update({}).mean_squared_norm) << step.step;
    if (step.step % 10 == 9) {
      const auto tested = learner->evaluate().value();
      EXPECT_EQ(step.learning->evaluated->accuracy, tested.accuracy) << step.step;
      EXPECT_EQ(step.learning->evaluated->loss, tested.loss) << step.step;
    }
  }
}

TEST(Live, LearnsTheDigits) {
  scenario::Scenario scenario = live_training(4, 100);
  scenario.learner.target = 0.85;
  const ArmResult result = result_of(scenario);
  EXPECT_GT(result.learning->last_accuracy, 0.88);
  ASSERT_TRUE(result.learning->target.has_value());
  EXPECT_LE(result.learning->target->steps, 100);
  EXPECT_EQ(result.learning->target->sent_by_all,
            netmodels::Bytes{96e6 * static_cast<double>(result.learning->target->steps)});
}

TEST(Live, GoesOnLearningWhenAWorkerIsLost) {  // three workers until the third step
  scenario::Scenario scenario = live_training(3, 60);
  scenario.cluster.failures = {{1, std::nullopt, 1_s, std::nullopt}};
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 60U);
  EXPECT_EQ(steps.front().workers, 3U);
  EXPECT_EQ(steps.back().workers, 2U);
  EXPECT_GT(steps.back().learning->evaluated->accuracy, steps[9].learning->evaluated->accuracy);
  EXPECT_LT(*steps.back().learning->loss, 0.5 * *steps.front().learning->loss);
}

TEST(Live, StepsWithATestAreReportedBesideThoseThatAreAskedFor) {
  scenario::Scenario scenario = live_training(2, 20);
  scenario.simulation.output.steps_every = 8;
  std::vector<std::int64_t> reported;
  for (const StepRecord& step : steps_of(scenario)) reported.push_back(step.step);
  EXPECT_EQ(reported, (std::vector<std::int64_t>{0, 8, 9, 16, 19}));
}

TEST(Live, SelSyncBeginsTogetherAndThenStaysLocalNowAndThen) {
  scenario::Scenario scenario = live_training(2, 60);
  scenario.exchange.synchronisation = policies::synchronisation(
      "selsync", policies::SelSync::Settings{.threshold = 0.1, .smoothing = 0.16, .warmup_steps = 10});
  const auto steps = steps_of(scenario);
  for (std::size_t step = 0; step < 10; ++step) EXPECT_EQ(steps[step].traffic, Traffic::parameters) << step;
  const auto local = std::ranges::count(steps, Traffic::nothing, &StepRecord::traffic);
  EXPECT_GT(local, 0);
  EXPECT_LT(local, 50);
}

TEST(Live, ATestedModelCostsNoTime) {
  scenario::Scenario scenario = live_training(2, 20);
  const double rarely = result_of(scenario).time.count;
  scenario.learner.evaluate_every = 1;
  EXPECT_EQ(result_of(scenario).time.count, rarely);
}

/// Eight workers with 256 samples each, as the shipped model was fitted to up to 4096 together.
scenario::Scenario lawful() {
  scenario::Scenario scenario = plain(8, 1_ms, kSlow, 200);
  scenario.work.training.batch = 256;
  scenario.learner.kind =
      learner("parametric", learning::learners::ParametricLearner::Settings{"resnet18_cifar10"});
  return scenario;
}

TEST(Parametric, AccuracyRisesWhereEveryStepExchangesGradients) {
  const ArmResult result = result_of(lawful());
  ASSERT_FALSE(result.learning->curve.empty());
  EXPECT_TRUE(std::ranges::is_sorted(accuracies(result)));
}

TEST(Parametric, LocalStepsLeaveAccuracyUnknownAndTheLabelSaysSo) {
  scenario::Scenario scenario = lawful();
  scenario.exchange.synchronisation =
      policies::synchronisation("periodic", policies::Periodic::Settings{.every = 4});
  const ArmResult result = result_of(scenario);
  EXPECT_TRUE(result.learning->curve.empty());
  EXPECT_THAT(result.learner, ::testing::HasSubstr("accuracy unknown"));
}

/// A file of three recorded steps, gone when the test is over.
class RecordFile {
 public:
  RecordFile() {
    folder_.write("record.csv",
                  "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# workers: 2\n"
                  "# batch: 16\n# compression: none\n# source: by hand\n# licence: CC0\n"
                  "step,accuracy,squared_norm_0,squared_norm_1\n"
                  "0,0.1,,\n1,,4,6\n2,0.5,4,6\n4,0.7,4,6\n");
  }

  [[nodiscard]] scenario::Scenario replayed(std::int64_t steps) const {
    scenario::Scenario scenario = plain(2, 1_ms, kSlow, steps);
    scenario.work.training.batch = 16;
    scenario.learner.kind = learner("replay", learning::learners::ReplayLearner::Settings{path_.string()});
    scenario.learner.evaluate_every = 2;
    return scenario;
  }

 private:
  tests::ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "record.csv";
};

TEST(Replay, AccuracyIsTheRecordsAsLongAsItLasts) {
  const RecordFile file;
  const ArmResult result = result_of(file.replayed(6));
  EXPECT_EQ(accuracies(result), (std::vector<double>{0.5, 0.7}));
  EXPECT_THAT(result.learner, ::testing::HasSubstr("accuracy unknown beyond step 4"));
}

TEST(Replay, AnotherBatchLeavesAccuracyUnknown) {
  const RecordFile file;
  scenario::Scenario scenario = file.replayed(4);
  scenario.work.training.batch = 10;
  const ArmResult result = result_of(scenario);
  EXPECT_TRUE(result.learning->curve.empty());
  EXPECT_THAT(result.learner, ::testing::HasSubstr("accuracy unknown"));
}

TEST(Replay, SelSyncDecidesByRecordedNorms) {  // they never change: only the first step exchanges
  const RecordFile file;
  scenario::Scenario scenario = file.replayed(4);
  scenario.exchange.synchronisation =
      policies::synchronisation("selsync", policies::SelSync::Settings{.threshold = 0.1, .warmup_steps = 0});
  std::vector<Traffic> traffic;
  for (const StepRecord& step : steps_of(scenario)) traffic.push_back(step.traffic);
  EXPECT_THAT(traffic, ::testing::ElementsAre(Traffic::parameters, Traffic::nothing, Traffic::nothing,
                                              Traffic::nothing));
}

TEST(Play, ALearnerThatCannotBeMadeEndsTheRunWithItsReason) {
  scenario::Scenario scenario = live_training(2, 20);
  scenario.learner.kind = live("softmx");
  EXPECT_THAT(played(scenario, {}).error().text(), ::testing::StartsWith("learner.model: "));
}

TEST(Live, ALostFirstWorkerDoesNotStopTheTests) {
  scenario::Scenario scenario = live_training(3, 60);
  scenario.cluster.failures = {{0, std::nullopt, 1_s, std::nullopt}};
  EXPECT_GT(steps_of(scenario).back().learning->evaluated->accuracy, 0.8);
}

}  // namespace
}  // namespace sim::engine
