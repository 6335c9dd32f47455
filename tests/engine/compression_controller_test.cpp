// Whole trainings whose compression a policy decides: messages, times, and undone steps.
#include "sim/engine/compression_controller.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "learning/learners/live_learner.hpp"
#include "policies/accordion.hpp"
#include "policies/catalogue.hpp"
#include "policies/flexible_compression.hpp"
#include "policies/gravac.hpp"
#include "policies/local_steps.hpp"
#include "policies/scadles_compression.hpp"
#include "policies/zero_one.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using policies::CompressionPolicyChoice;

/// Two workers, a small network on the shipped digits, top-k by this policy: 20 ms at 10 %, 10 ms at 0.1 %.
scenario::Scenario decided_by(const CompressionPolicyChoice& policy, std::int64_t steps) {
  scenario::Scenario scenario = plain(2, 1_ms, kSlow, steps);
  scenario.learner.kind = learning::learners::live("mlp_32");
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.policy = policy;
  scenario.exchange.compression.times = {{"topk", 0.1, 20_ms}, {"topk", 0.001, 10_ms}};
  scenario.exchange.collective = "recursive_doubling_allgather";
  scenario.exchange.probe.oracle = true;
  return scenario;
}

/// Looks after every fifth step, and every factor passes: 10, 20, 40, 160, 1000.
scenario::Scenario climbing(std::int64_t steps) {
  return decided_by(
      policies::compression("gravac", policies::Gravac::Settings{.gain = 1e-9, .tolerance = 0, .window = 5}),
      steps);
}

/// Tries 10 % and 1 % for three steps each before the first step, and never again.
scenario::Scenario exploring(std::int64_t steps) {
  scenario::Scenario scenario =
      decided_by(policies::compression("flexible",
                                       policies::FlexibleCompression::Settings{
                                           .ratios = {0.1, 0.01}, .steps_each = 3, .gain_change = 1e6}),
                 steps);
  scenario.exchange.compression.method = "none";
  scenario.exchange.compression.times = {{"topk", 0.1, 20_ms}, {"topk", 0.01, 10_ms}};
  scenario.learner.evaluate_every = 5;
  return scenario;
}

std::vector<double> losses(const scenario::Scenario& scenario) {
  std::vector<double> found;
  for (const StepRecord& step : steps_of(scenario)) found.push_back(step.learning->loss.value());
  return found;
}

TEST(Gravac, ClimbsItsLadderARungAWindow) {
  const auto steps = steps_of(climbing(25));
  ASSERT_EQ(steps.size(), 25U);
  const std::vector<double> factors{10, 20, 40, 160, 1000};
  for (std::size_t step = 0; step < steps.size(); ++step) {
    EXPECT_DOUBLE_EQ(steps[step].ratio, 1 / factors[step / 5]) << step;
    EXPECT_EQ(steps[step].method, "topk") << step;
  }
}

// 20 ms for the floor; then a tenth of the time of 5 %: 10 ms and ln 50 / ln 100 of another 10 ms. 10 % of
// 4 million values are 3.2 MB, which take 1 ms + 32 ms; 5 % take 1 ms + 16 ms.
TEST(Gravac, PaysForBothTrials) {
  const auto steps = steps_of(climbing(10));
  const double floor = 0.020;
  const double candidate = 0.1 * (0.010 + 0.010 * std::log(50) / std::log(100));
  EXPECT_NEAR(steps[0].parts.compress.count, floor, kTiny);
  EXPECT_NEAR(steps[0].duration.count, 0.121 + floor + 0.033, kTiny);
  EXPECT_NEAR(steps[5].parts.compress.count, floor + candidate, kTiny);
  EXPECT_NEAR(steps[5].duration.count, 0.121 + floor + candidate + 0.017, kTiny);
}

TEST(Gravac, SendsTheDenseGradientWhereNoTrialPassesAndPaysForItAllTheSame) {
  scenario::Scenario scenario = climbing(4);
  scenario.exchange.compression.policy.edit<policies::Gravac::Settings>().gain = 1;
  scenario.exchange.collective = "ring_allreduce";
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.whole.mean_ratio, 1);
  EXPECT_EQ(result.whole.methods.at("none"), 4);
  EXPECT_NEAR(result.whole.parts.compress.count, 0.020, kTiny);
  EXPECT_NEAR(result.whole.step_time().count, 0.121 + 0.020 + 0.162, kTiny);
  EXPECT_EQ(result.learning->mean_gain, 1);
}

TEST(Gravac, ItsGainsAreThoseOfWhatItSends) {
  scenario::Scenario once = climbing(5);
  scenario::Scenario fixed = once;
  fixed.exchange.compression.policy = {};
  fixed.exchange.compression.ratio = 0.1;
  EXPECT_EQ(losses(once), losses(fixed));
  EXPECT_EQ(result_of(once).learning->mean_gain, result_of(fixed).learning->mean_gain);
}

TEST(Gravac, CountsStepsByMethodAndTheMeanRatio) {
  const PhaseResult whole = result_of(climbing(10)).whole;
  EXPECT_EQ(whole.methods, (std::map<std::string, std::int64_t>{{"topk", 10}}));
  EXPECT_NEAR(whole.mean_ratio, 0.075, kTiny);
}

TEST(Gravac, GoesOnWithWhoIsLeft) {
  scenario::Scenario scenario = climbing(15);
  scenario.cluster.workers = 3;
  scenario.cluster.failures = {{1, std::nullopt, 1_s, std::nullopt}};
  const auto steps = steps_of(scenario);
  ASSERT_EQ(steps.size(), 15U);
  EXPECT_EQ(steps.back().workers, 2U);
  EXPECT_DOUBLE_EQ(steps.back().ratio, 0.025);
}

TEST(Experiments, AreNoStepsAndTheirTimeIsOutside) {  // 1 ms + 32 ms and 1 ms + 3.2 ms of exchange
  const ArmResult result = result_of(exploring(10));
  EXPECT_EQ(result.whole.steps, 10);
  EXPECT_EQ(result.experiment_steps, 6);
  EXPECT_NEAR(result.outside_steps.count, 3 * (0.121 + 0.020 + 0.033) + 3 * (0.121 + 0.010 + 0.0042), kTiny);
  EXPECT_NEAR(result.time.count, (result.whole.time + result.outside_steps).count, kTiny);
}

TEST(Experiments, TheirBytesAreSentAndThoseOfStepsAreNotMore) {  // 3.2 MB and 320 kB by each of two workers
  const ArmResult result = result_of(exploring(10));
  const netmodels::Bytes all = result.learning->curve.back().sent_by_all.value();
  EXPECT_NEAR((all - result.whole.sent_by_all.value()).count, 2 * 3 * (3.2e6 + 0.32e6), 1e-6);
}

TEST(Experiments, LeaveTheLearnerAsItWas) {
  const auto steps = steps_of(exploring(10));
  scenario::Scenario fixed = exploring(10);
  fixed.exchange.compression.policy = {};
  fixed.exchange.compression.method = steps.front().method;
  fixed.exchange.compression.ratio = steps.front().ratio;
  const auto without = steps_of(fixed);
  ASSERT_EQ(steps.size(), without.size());
  for (std::size_t step = 0; step < steps.size(); ++step) {
    EXPECT_EQ(steps[step].ratio, fixed.exchange.compression.ratio) << step;
    EXPECT_EQ(steps[step].learning->loss, without[step].learning->loss) << step;
    EXPECT_EQ(steps[step].learning->gain, without[step].learning->gain) << step;
  }
  EXPECT_EQ(steps.back().learning->evaluated->accuracy, without.back().learning->evaluated->accuracy);
}

TEST(Experiments, CountInNoMean) {
  const ArmResult result = result_of(exploring(10));
  EXPECT_EQ(result.learning->curve.size(), 2U);
  const auto steps = steps_of(exploring(10));
  double gains = 0;
  for (const StepRecord& step : steps) gains += step.learning->gain.value();
  EXPECT_NEAR(result.learning->mean_gain.value(), gains / 10, kTiny);
}

TEST(Experiments, OneThatIsLostIsMadeAgain) {  // the link is down in the second of them
  scenario::Scenario scenario = exploring(10);
  const auto whole = losses(scenario);
  scenario.cluster.failures = {{std::nullopt, "worker1", {0.2}, 1_s}};
  EXPECT_EQ(losses(scenario), whole);
  EXPECT_EQ(result_of(scenario).experiment_steps, 6);
}

TEST(Flexible, TheRatioLiesBetweenTheCandidates) {
  for (const StepRecord& step : steps_of(exploring(5))) {
    EXPECT_EQ(step.method, "topk");
    EXPECT_GE(step.ratio, 0.01);
    EXPECT_LE(step.ratio, 0.1);
  }
}

TEST(Flexible, WarmsUpFromTheDenseGradient) {  // an epoch is five steps: 1, 0.82, 0.64, 0.46, 0.28
  scenario::Scenario scenario = exploring(6);
  scenario.work.training.samples = 100;
  scenario.exchange.compression.warm_up = {1, policies::RatioShape::linear};
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[0].method, "none");
  for (std::size_t step = 0; step < 5; ++step)
    EXPECT_NEAR(steps[step].ratio, 1 - 0.18 * static_cast<double>(step), kTiny) << step;
  EXPECT_LE(steps[5].ratio, 0.1);
}

TEST(Accordion, CompressesMoreOnceTheNormIsFoundToBeSteady) {  // an epoch is five steps, two of them compared
  scenario::Scenario scenario =
      decided_by(policies::compression("accordion", policies::Accordion::Settings{{}, 1e9, 1}), 15);
  scenario.work.training.samples = 100;
  const auto steps = steps_of(scenario);
  for (std::size_t step = 0; step < 15; ++step) EXPECT_EQ(steps[step].ratio, step < 10 ? 0.1 : 0.01) << step;
}

TEST(Accordion, StaysLowWhereEveryChangeIsFast) {
  scenario::Scenario scenario =
      decided_by(policies::compression("accordion", policies::Accordion::Settings{{}, 0, 1}), 15);
  scenario.work.training.samples = 100;
  EXPECT_NEAR(result_of(scenario).whole.mean_ratio, 0.1, kTiny);
}

TEST(AccordionPerStep, DecidesByTwoNorms) {
  scenario::Scenario scenario = decided_by(
      policies::compression("accordion_per_step", policies::AccordionPerStep::Settings{{}, 1e9, 0.05}), 6);
  const auto steps = steps_of(scenario);
  for (std::size_t step = 0; step < 6; ++step) EXPECT_EQ(steps[step].ratio, step < 2 ? 0.1 : 0.01) << step;
  scenario.exchange.compression.policy.edit<policies::AccordionPerStep::Settings>().threshold = 0;
  EXPECT_NEAR(result_of(scenario).whole.mean_ratio, 0.1, kTiny);
}

/// ScaDLES that compresses to 1 %, or never where it may lose nothing.
scenario::Scenario streaming_with_loss(double may_lose) {
  scenario::Scenario scenario = decided_by(
      policies::compression("scadles", policies::ScadlesCompression::Settings{.threshold = may_lose}), 4);
  scenario.exchange.compression.ratio = 0.01;
  return scenario;
}

TEST(Scadles, CompressesAsLongAsLittleIsLost) {
  EXPECT_EQ(result_of(streaming_with_loss(1)).whole.methods,
            (std::map<std::string, std::int64_t>{{"topk", 4}}));
  EXPECT_NEAR(result_of(streaming_with_loss(1)).whole.mean_ratio, 0.01, kTiny);
  EXPECT_EQ(result_of(streaming_with_loss(0)).whole.methods,
            (std::map<std::string, std::int64_t>{{"none", 4}}));
  EXPECT_EQ(result_of(streaming_with_loss(0)).whole.mean_ratio, 1);
}

std::string collective_of(scenario::Scenario scenario, const std::string& named) {
  scenario.exchange.collective = named;
  return result_of(scenario).whole.collectives.begin()->first;
}

TEST(CompressionController, ANamedCollectiveIsUsedWhereItFitsAndTheCheapestThatDoesElsewhere) {
  EXPECT_EQ(collective_of(streaming_with_loss(1), "ring_allgather"), "ring_allgather");
  EXPECT_EQ(collective_of(streaming_with_loss(1), "ring_allreduce"),
            collective_of(streaming_with_loss(1), "auto"));
  EXPECT_NE(collective_of(streaming_with_loss(1), "auto"), "ring_allreduce");
  EXPECT_EQ(collective_of(streaming_with_loss(0), "ring_allreduce"), "ring_allreduce");
  EXPECT_EQ(collective_of(streaming_with_loss(0), "ring_allgather"),
            collective_of(streaming_with_loss(0), "auto"));
}

TEST(CompressionController, AnAllReduceCarriesArTopkToo) {
  scenario::Scenario scenario = streaming_with_loss(1);
  scenario.exchange.compression.method = "ar_topk";
  EXPECT_EQ(collective_of(scenario, "ring_allreduce"), "ring_allreduce");
  EXPECT_EQ(collective_of(scenario, "ring_allgather"), collective_of(scenario, "auto"));
}

/// Compressing takes 4 ms, and restoring a message 3 ms.
TEST(Gravac, RestoresWhatTheOthersSentOnceThoughItTriedTwice) {
  scenario::Scenario scenario = climbing(6);
  scenario.exchange.compression.times.clear();
  scenario.exchange.compression.kernels.rows = {
      {.method = "topk", .cost = {4_ms, {}, {}}, .restoring = {{0.1, 3_ms, {}}}}};
  const auto steps = steps_of(scenario);  // of two workers
  EXPECT_NEAR(steps[0].parts.compress.count, 0.004 + 0.003, kTiny);
  EXPECT_NEAR(steps[5].parts.compress.count, 2 * 0.004 + 0.003, kTiny);
}

/// Restoring a message of 10 % takes a second, one of 1 % a millisecond: 10 % is only fast where that is
/// forgotten.
TEST(Flexible, LearnsWhatRestoringTakes) {
  scenario::Scenario scenario = exploring(4);
  auto& settings = scenario.exchange.compression.policy.edit<policies::FlexibleCompression::Settings>();
  settings.choice = policies::RatioRule::fastest;
  scenario.exchange.compression.times.clear();
  for (const char* method : {"topk", "ar_topk"})
    scenario.exchange.compression.kernels.rows.push_back(
        {.method = method, .cost = {1_ms, {}, {}}, .restoring = {{0.01, 1_ms, {}}, {0.1, 1_s, {}}}});
  EXPECT_LT(steps_of(scenario).back().ratio, 0.02);
}

TEST(WarmUp, FallsEpochByEpochBeforeAFixedRatio) {  // an epoch is five steps: 1 % ^ (1/3), ^ (2/3), 1 %
  scenario::Scenario scenario = decided_by({}, 15);
  scenario.work.training.samples = 100;
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.compression.warm_up = {2, policies::RatioShape::exponential};
  const auto steps = steps_of(scenario);
  for (std::size_t step = 0; step < 15; ++step) {
    const double epoch = static_cast<double>(step / 5);
    EXPECT_NEAR(steps[step].ratio, std::pow(0.01, std::min(1.0, (epoch + 1) / 3)), kTiny) << step;
  }
}

TEST(WarmUp, NeedsNoLearnerBeforeAFixedRatio) {
  scenario::Scenario scenario = decided_by({}, 10);
  scenario.learner.kind = {};
  scenario.work.training.samples = 100;
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.compression.warm_up = {1, policies::RatioShape::linear};
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[0].method, "none");
  EXPECT_EQ(steps[0].parts.compress, 0_s);  // dense, not compressed
  EXPECT_NEAR(steps[1].ratio, 1 - 0.99 / 5, kTiny);
  EXPECT_EQ(steps[5].ratio, 0.01);
}

TEST(WarmUp, BeginsWithTheFirstRatioOfThePolicyBehindIt) {
  scenario::Scenario scenario = climbing(12);
  scenario.work.training.samples = 100;
  scenario.exchange.compression.warm_up = {1, policies::RatioShape::exponential};
  const auto steps = steps_of(scenario);
  for (std::size_t step = 0; step < 5; ++step) EXPECT_NEAR(steps[step].ratio, std::sqrt(0.1), kTiny);
  EXPECT_NEAR(steps[5].ratio, 0.1, kTiny);
}

// 4 million values of 4 bytes; signs are 500 kB and a scale. Each of 4 workers sends 2 x 3/4 of it.
TEST(WarmUp, OfWholeGradientsIsAPhaseOfItsOwn) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 10);
  scenario.exchange.compression = sent_as("onebit_adam", 1);
  scenario.exchange.compression.warm_up = {.shape = policies::RatioShape::dense, .steps = 3};
  const ArmResult result = result_of(scenario);
  ASSERT_EQ(result.phases.size(), 2U);
  EXPECT_EQ(result.phases[0].steps, 3);
  EXPECT_EQ(result.phases[1].steps, 7);
  EXPECT_EQ(result.phases[1].label.substr(0, 12), "from step 3:");
  EXPECT_NEAR(result.phases[0].sent->count, 1.5 * 16e6, 1);
  EXPECT_NEAR(result.phases[1].sent->count, 1.5 * (500000 + 4), 1);
  EXPECT_EQ(result.phases[0].methods, (std::map<std::string, std::int64_t>{{"none", 3}}));
  EXPECT_EQ(result.phases[1].methods, (std::map<std::string, std::int64_t>{{"onebit_adam", 7}}));
  EXPECT_GT(result.phases[0].step_time(), result.phases[1].step_time());
}

TEST(WarmUp, OfWholeGradientsIsExplainedBesideWhatFollows) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 10);
  scenario.exchange.compression = sent_as("onebit_adam", 1);
  scenario.exchange.compression.warm_up = {.shape = policies::RatioShape::dense, .steps = 3};
  const auto steps = steps_of(scenario);
  ClusterCache clusters;
  const auto explained = explain(scenario, clusters, {}).value();
  ASSERT_EQ(explained.size(), 2U);
  EXPECT_EQ(explained[0].step.method, "none");
  EXPECT_EQ(explained[1].step.method, "onebit_adam");
  EXPECT_NEAR(explained[0].step.duration.count, steps[0].duration.count, kTiny);
  EXPECT_NEAR(explained[1].step.duration.count, steps[3].duration.count, kTiny);
}

TEST(Redeploy,
     StandsStillWheneverTheCollectiveChanges) {  // dense, then top-k of 1 % from the second epoch on
  scenario::Scenario scenario = decided_by({}, 10);
  scenario.work.training.samples = 100;
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.collective = "auto";
  scenario.exchange.compression.warm_up = {0.1, policies::RatioShape::linear};  // one step
  const ArmResult free = result_of(scenario);
  EXPECT_EQ(free.whole.collectives.size(), 2U);
  scenario.exchange.switch_cost = 5_s;
  const ArmResult charged = result_of(scenario);
  EXPECT_NEAR(charged.time.count, free.time.count + 5, 1e-9);
  EXPECT_NEAR(charged.outside_steps.count, free.outside_steps.count + 5, 1e-9);
  EXPECT_NEAR(steps_of(scenario)[1].start.count, steps_of(scenario)[0].duration.count + 5, 1e-9);
}

TEST(CompressionController, OnlyStepsThatSendGradientsAreCompressed) {
  scenario::Scenario scenario = plain(2, 1_ms, kSlow, 4);
  scenario.exchange.compression = sent_as("topk", 0.01);
  scenario.exchange.collective = "ring_allgather";
  scenario.exchange.synchronisation = policies::synchronisation(
      "periodic", policies::Periodic::Settings{.every = 2, .averaged = policies::Averaged::gradients});
  const auto steps = steps_of(scenario);
  EXPECT_EQ(steps[0].method, "");
  EXPECT_EQ(steps[1].method, "topk");
  const PhaseResult whole = result_of(scenario).whole;
  EXPECT_EQ(whole.methods.at("topk"), 2);
  EXPECT_EQ(whole.mean_ratio, 0.01);
}

TEST(LostSteps, KeepTheirGradientsWhereNobodyIsLost) {
  scenario::Scenario scenario = decided_by({}, 8);
  scenario.exchange.compression.ratio = 0.1;
  const auto whole = losses(scenario);
  scenario.cluster.failures = {{std::nullopt, "worker1", {0.2}, 1_s}, {std::nullopt, "worker0", {1.1}, 2_s}};
  EXPECT_EQ(losses(scenario), whole);
  EXPECT_EQ(result_of(scenario).events.size(), 2U);
}

TEST(LostSteps, DoNotMoveAPolicy) {
  scenario::Scenario scenario = climbing(15);
  const auto whole = losses(scenario);
  scenario.cluster.failures = {{std::nullopt, "worker1", {0.2}, 1_s}};
  EXPECT_EQ(losses(scenario), whole);
}

// --- 0/1 Adam

/// Twelve steps: whole gradients in 1, 2, 4 and 6, signs of them in 3 and 5; momenta in 7 and 8, then in
/// every second step, 10 and 12.
scenario::Scenario zero_one(int workers) {
  scenario::Scenario scenario = plain(workers, 1_ms, kSlow, 12);
  scenario.exchange.compression = sent_as("onebit_adam", 1, 5_ms);
  scenario.exchange.synchronisation = policies::synchronisation(
      "zero_one",
      policies::ZeroOne::Settings{
          .freeze_after = 6, .variance_doubles_every = 2, .local_doubles_every = 2, .local_limit = 2});
  return scenario;
}

// 4 million values of 4 bytes; signs are 500 kB and a scale. Each of 4 workers sends 2 x 3/4 of either.
TEST(ZeroOneAdam, SendsBytesAsItsScheduleSays) {
  const scenario::Scenario scenario = zero_one(4);  // whose names the steps hold
  const auto steps = steps_of(scenario);
  const double whole = 1.5 * 16e6, signs = 1.5 * (500000 + 4);
  const std::vector<double> sent{whole, whole, signs, whole, signs, whole, signs, signs, 0, signs, 0, signs};
  ASSERT_EQ(steps.size(), sent.size());
  double sum = 0;
  for (std::size_t step = 0; step < sent.size(); ++step) {
    EXPECT_NEAR(steps[step].sent->count, sent[step], 1) << step;
    EXPECT_EQ(steps[step].method, sent[step] == whole ? "none"
                                  : sent[step] == 0   ? ""
                                                      : "onebit_adam")
        << step;
    sum += sent[step];
  }
  const ArmResult result = result_of(scenario);
  EXPECT_NEAR(result.whole.sent->count, sum / 12, 1);  // 4 whole ones, 6 of signs
  EXPECT_EQ(result.whole.methods, (std::map<std::string, std::int64_t>{{"none", 4}, {"onebit_adam", 6}}));
}

// A ring of 4 takes 6 (1 ms + M / 4 / 100 MB/s): 246 ms of whole gradients, 13.50006 ms of signs and 5 ms to
// code them; computing takes 121 ms.
TEST(ZeroOneAdam, TakesTimeAsItsScheduleSays) {
  const scenario::Scenario scenario = zero_one(4);  // whose names the steps hold
  const auto steps = steps_of(scenario);
  const double whole = 0.121 + 0.246, signs = 0.121 + 0.006 + 6 * 500004.0 / 4 / 100e6;
  for (const std::size_t step : {0U, 1U, 3U, 5U}) {
    EXPECT_NEAR(steps[step].duration.count, whole, kTiny) << step;
    EXPECT_EQ(steps[step].parts.compress, 0_s);
  }
  for (const std::size_t step : {2U, 4U, 6U, 7U, 9U, 11U}) {
    EXPECT_NEAR((steps[step].duration - steps[step].parts.compress).count, signs, 1e-6) << step;
    EXPECT_GE(steps[step].parts.compress, 5_ms);
  }
  for (const std::size_t step : {8U, 10U}) EXPECT_NEAR(steps[step].duration.count, 0.121, kTiny) << step;
}

TEST(ZeroOneAdam, IsExplainedByEveryKindOfStep) {
  const scenario::Scenario scenario = zero_one(4);
  const auto steps = steps_of(scenario);
  ClusterCache clusters;
  const auto explained = explain(scenario, clusters, {}).value();
  ASSERT_EQ(explained.size(), 4U);
  const std::vector<std::size_t> of_kind{0, 2, 8, 6};  // whole gradients, signs, local, momenta
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    EXPECT_NEAR(explained[kind].step.duration.count, steps[of_kind[kind]].duration.count, kTiny) << kind;
    EXPECT_EQ(explained[kind].step.sent, steps[of_kind[kind]].sent) << kind;
    EXPECT_EQ(explained[kind].worth.has_value(), kind == 1) << kind;
  }
  EXPECT_TRUE(explained[0].phase.ends_with(", a step with whole gradients, which update the variance"));
  EXPECT_TRUE(explained[2].phase.ends_with(", a local step, the variance frozen"));
}

/// As `zero_one`, on the shipped digits.
scenario::Scenario learning_zero_one(std::int64_t steps, const policies::ZeroOne::Settings& settings) {
  scenario::Scenario scenario = zero_one(4);
  scenario.work.training.steps = steps;
  scenario.exchange.synchronisation = policies::synchronisation("zero_one", settings);
  learning::learners::LiveSettings live{.model = "mlp_32"};
  live.optimizer = {learning::models::optimizer("zero_one_adam", learning::models::ZeroOneAdam{}), 0.003};
  scenario.learner.kind = learning::learners::learner("live", live);
  scenario.learner.evaluate_every = 10;
  return scenario;
}

TEST(ZeroOneAdam, LearnsInAllItsPhases) {
  const auto scenario = learning_zero_one(
      120, {.freeze_after = 60, .variance_doubles_every = 8, .local_doubles_every = 20, .local_limit = 4});
  const auto curve = result_of(scenario).learning->curve;
  ASSERT_EQ(curve.size(), 12U);
  EXPECT_LT(*curve[5].loss, *curve[0].loss);
  EXPECT_LT(*curve[11].loss, *curve[5].loss);
  EXPECT_GT(curve[11].accuracy, 0.85);
}

/// The method is put back after a step with whole gradients.
TEST(ZeroOneAdam, GainsAreOfStepsThatCompress) {
  const auto steps =
      steps_of(learning_zero_one(12, zero_one(4).exchange.synchronisation.as<policies::ZeroOne::Settings>()));
  for (const std::size_t step : {0U, 1U, 3U, 5U}) EXPECT_EQ(steps[step].learning->gain, 1) << step;
  for (const std::size_t step : {2U, 4U, 6U, 9U}) EXPECT_LT(*steps[step].learning->gain, 1) << step;
  for (const std::size_t step : {8U, 10U}) EXPECT_FALSE(steps[step].learning->gain.has_value()) << step;
}

/// With whole gradients in every step no later key matters, nor does what would compress.
TEST(ZeroOneAdam, IsTheSameTrainingForEverySettingBeforeItCompresses) {
  const auto curve = [](const policies::ZeroOne::Settings& settings) {
    return result_of(learning_zero_one(30, settings)).learning->curve.back().loss;
  };
  const auto dense = curve({.variance_doubles_every = 1000});
  EXPECT_EQ(dense, curve({.freeze_after = 30, .variance_doubles_every = 30, .local_limit = 1}));
  EXPECT_NE(dense, curve({.variance_doubles_every = 10}));
  EXPECT_NE(dense, curve({.freeze_after = 20, .variance_doubles_every = 20}));
}

}  // namespace
}  // namespace sim::engine
