// Flexible communication by hand: the method by cost, exploration, the search and the triggers of each.
#include "policies/flexible_compression.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "policies/sparse_exchange.hpp"
#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

using namespace netmodels::literals;
using netmodels::Bandwidth;
using Settings = FlexibleCompression::Settings;

/// Eight workers with a ResNet50, whose gain falls by a fifth with each decade of the ratio.
JobStep resnet50_step(Bandwidth bandwidth, double epoch = 0) {
  return {.epoch = epoch,
          .workers = 8,
          .network = NetworkEstimate{{1_ms, bandwidth}, {}},
          .gain = [](const auto& choice) { return 1 + 0.2 * std::log10(choice.ratio); }};
}

/// The candidates of the paper.
Settings with_published_ratios() { return {.ratios = {0.1, 0.033, 0.011, 0.004, 0.001}}; }

Settings only_at(double ratio) { return {.ratios = {ratio}}; }

/// The other method must be cheaper by a tenth.
const CompressionJob patiently{.hysteresis = 0.1};

/// Runs until the steps are no longer experiments. @returns the first step that is none
Decided explored(FlexibleCompression& policy, const JobStep& now) {
  for (int i = 0; i < 1000; ++i) {
    if (const Decided decided = play(policy, now); !decided.experiment) return decided;
  }
  ADD_FAILURE() << "exploration has no end";
  return {};
}

// Table VI of the paper, ResNet50 at 0.01: 14.35 / 20.3 / 15.9 ms at 10 Gbit/s, 126.5 / 58.8 / 83.7 at 1.
TEST(FlexibleCompression, TakesTheMethodWhoseExchangeIsCheaper) {
  FlexibleCompression policy(only_at(0.01), {});
  EXPECT_EQ(play(policy, resnet50_step(10_Gbps)).sent, (CompressionChoice{"topk", 0.01}));
  EXPECT_EQ(play(policy, resnet50_step(1_Gbps)).sent, (CompressionChoice{"ar_topk", 0.01}));
  EXPECT_EQ(play(policy, resnet50_step(10_Gbps)).sent, (CompressionChoice{"topk", 0.01}));
}

TEST(FlexibleCompression, OfTwoWorkersGathersOnEveryNetwork) {
  FlexibleCompression policy(only_at(0.1), {});
  for (const Bandwidth bandwidth : {100_Gbps, 1_Gbps, Bandwidth{1e4}}) {
    JobStep now = resnet50_step(bandwidth);
    now.workers = 2;
    EXPECT_EQ(play(policy, now).sent.method, "topk");
  }
}

TEST(FlexibleCompression, HysteresisKeepsAMethodThatIsLittleWorse) {
  // At 0.01 and 5 Gbit/s: 25.89 ms gathered, 25.05 by a tree: 3 % better.
  FlexibleCompression policy(only_at(0.01), patiently);
  EXPECT_EQ(play(policy, resnet50_step(10_Gbps)).sent.method, "topk");
  EXPECT_EQ(play(policy, resnet50_step(5_Gbps)).sent.method, "topk");
  EXPECT_EQ(play(policy, resnet50_step(1_Gbps)).sent.method, "ar_topk");
  FlexibleCompression prompt(only_at(0.01), {});
  EXPECT_EQ(play(prompt, resnet50_step(5_Gbps)).sent.method, "ar_topk");
}

// At 0.01 and 7.1 Gbit/s: 19.12 ms gathered, 19.36 by a tree.
TEST(FlexibleCompression, HysteresisWorksBothWays) {
  FlexibleCompression patient(only_at(0.01), patiently);
  FlexibleCompression prompt(only_at(0.01), {});
  (void)play(patient, resnet50_step(1_Gbps));
  (void)play(prompt, resnet50_step(1_Gbps));
  EXPECT_EQ(play(patient, resnet50_step(7.1_Gbps)).sent.method, "ar_topk");
  EXPECT_EQ(play(prompt, resnet50_step(7.1_Gbps)).sent.method, "topk");
}

TEST(FlexibleCompression, ExperimentsLeaveNoTraceInTheMethod) {  // the last one was AR-Topk's
  Settings settings = with_published_ratios();
  settings.ratios = {0.01, 0.1};
  settings.time_weight = 1;  // only time: 0.01
  FlexibleCompression policy(settings, patiently);
  EXPECT_EQ(explored(policy, resnet50_step(5_Gbps)).sent, (CompressionChoice{"topk", 0.01}));
}

TEST(FlexibleCompression, BeforeAnyProbeGathersAtTheFirstCandidate) {
  FlexibleCompression policy(with_published_ratios(), {});
  JobStep blind = resnet50_step(1_Gbps);
  blind.network.reset();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(play(policy, blind), (Decided{{{"topk", 0.1}}, {}, {"topk", 0.1}}));
}

TEST(FlexibleCompression, WarmsUpFromTheDenseGradientToTheFirstCandidate) {
  FlexibleCompression policy(with_published_ratios(), {.warm_up = {5, RatioShape::linear}});
  EXPECT_EQ(play(policy, resnet50_step(1_Gbps, 0)).sent, (CompressionChoice{"none", 1}));
  const CompressionChoice half_way = play(policy, resnet50_step(1_Gbps, 2.5)).sent;
  EXPECT_EQ(half_way.method, "ar_topk");
  EXPECT_DOUBLE_EQ(half_way.ratio, 0.55);
  EXPECT_TRUE(play(policy, resnet50_step(1_Gbps, 5)).experiment);
}

TEST(FlexibleCompression, TriesEachCandidateForTenStepsAsAnExperimentOfItsOwn) {
  FlexibleCompression policy(with_published_ratios(), {});
  std::set<std::int64_t> experiments;
  for (const double ratio : {0.1, 0.033, 0.011, 0.004, 0.001}) {
    const std::size_t before = experiments.size();
    for (int i = 0; i < 10; ++i) {
      const Decided decided = play(policy, resnet50_step(1_Gbps));
      EXPECT_EQ(decided.sent.ratio, ratio);
      ASSERT_TRUE(decided.experiment);
      experiments.insert(*decided.experiment);
    }
    EXPECT_EQ(experiments.size(), before + 1);
  }
  EXPECT_FALSE(play(policy, resnet50_step(1_Gbps)).experiment);
}

/// Weighted and normalised: exchange time and 1/gain at a ratio, between candidates 0.001 and 0.1.
std::pair<double, double> weighed(double ratio, const netmodels::LinkState& link) {
  const auto time_at = [&](double c) {
    const SparseGradient kept{8, netmodels::Bytes{4 * 25'557'032.0 * c}};
    return exchange_time(cheapest_exchange(kept, link), kept, link).count;
  };
  const auto loss_at = [](double c) { return 1 / (1 + 0.2 * std::log10(c)); };
  return {0.6 * (time_at(ratio) - time_at(0.001)) / (time_at(0.1) - time_at(0.001)),
          0.4 * (loss_at(ratio) - loss_at(0.1)) / (loss_at(0.001) - loss_at(0.1))};
}

TEST(FlexibleCompression, SettlesWhereTimeAndGainWeighTheSame) {
  for (const ParetoSolver solver : {ParetoSolver::exact, ParetoSolver::nsga2}) {
    Settings settings = with_published_ratios();
    settings.solver = solver;
    FlexibleCompression policy(settings, {});
    const double ratio = explored(policy, resnet50_step(10_Gbps)).sent.ratio;
    const auto [time, loss] = weighed(ratio, {1_ms, 10_Gbps});
    EXPECT_NEAR(time, loss, 0.02);
    EXPECT_GT(ratio, 0.001);
    EXPECT_LT(ratio, 0.1);
  }
}

TEST(FlexibleCompression, SearchesAgainWhenTheNetworkHasMovedFarEnough) {
  FlexibleCompression policy(with_published_ratios(), {});
  const double before = explored(policy, resnet50_step(10_Gbps)).sent.ratio;
  EXPECT_EQ(play(policy, resnet50_step(9.1_Gbps)).sent.ratio, before);
  const Decided after = play(policy, resnet50_step(1_Gbps));
  EXPECT_FALSE(after.experiment);  // the gains are still good
  EXPECT_NE(after.sent.ratio, before);
  EXPECT_EQ(play(policy, resnet50_step(10_Gbps)).sent.ratio, before);
}

TEST(FlexibleCompression, WhereOneWayIsAlwaysCheapestTheNetworkDoesNotMoveTheKnee) {  // no latency: the ring
  const auto ratio = [](Bandwidth bandwidth) {
    FlexibleCompression policy(with_published_ratios(), {});
    JobStep now = resnet50_step(bandwidth);
    now.network->latency = 0_ms;
    return explored(policy, now).sent.ratio;
  };
  EXPECT_NEAR(ratio(100_Gbps), ratio(1_Gbps), 0.01 * ratio(1_Gbps));
}

TEST(FlexibleCompression, LatencySetsOffASearchToo) {
  FlexibleCompression policy(with_published_ratios(), {});
  const double before = explored(policy, resnet50_step(10_Gbps)).sent.ratio;
  JobStep far = resnet50_step(10_Gbps);
  far.network->latency = 50_ms;
  EXPECT_NE(play(policy, far).sent.ratio, before);
}

/// The steps until the next experiment while the gain goes up and down by a share from step to step; in that
/// experiment's first step it is the usual one.
int steps_until_exploration(FlexibleCompression& policy, double share) {
  for (int i = 0; i < 100; ++i) {
    JobStep now = resnet50_step(10_Gbps);
    now.gain = [&, usual = now.gain](const auto& choice) {
      return *usual(choice) * (i % 2 == 0 ? 1 + share : 1);
    };
    if (play(policy, now).experiment) return i;
  }
  return 100;
}

TEST(FlexibleCompression, TriesTheCandidatesAgainWhenTheGainChangesFast) {
  FlexibleCompression policy(with_published_ratios(), {});
  (void)explored(policy, resnet50_step(10_Gbps));  // this step's gain opens the first of five changes
  EXPECT_EQ(steps_until_exploration(policy, 0.2), 5);
  (void)explored(policy, resnet50_step(10_Gbps));
  EXPECT_EQ(steps_until_exploration(policy, 0.05), 100);
}

Settings by_drift() {
  Settings settings = with_published_ratios();
  settings.gain_trigger = GainTrigger::drift;
  return settings;
}

TEST(FlexibleCompression, ByDriftTheNoiseOfSingleStepsSetsNothingOff) {
  FlexibleCompression policy(by_drift(), {});
  (void)explored(policy, resnet50_step(10_Gbps));
  EXPECT_EQ(steps_until_exploration(policy, 0.5), 100);
}

TEST(FlexibleCompression, ByDriftAGainThatWandersAwaySetsOffAnExploration) {  // 50 steps for the first mean
  FlexibleCompression policy(by_drift(), {});
  (void)explored(policy, resnet50_step(10_Gbps));
  const auto steps_at = [&](double factor, int steps) {
    JobStep now = resnet50_step(10_Gbps);
    now.gain = [factor, usual = now.gain](const auto& choice) { return factor * *usual(choice); };
    for (int i = 0; i < steps; ++i) {
      if (play(policy, now).experiment) return i;
    }
    return steps;
  };
  EXPECT_EQ(steps_at(1, 60), 60);
  EXPECT_EQ(steps_at(0.92, 200), 200);  // 8 %: little
  const int found = steps_at(0.8, 200);
  EXPECT_GT(found, 1);
  EXPECT_LT(found, 50);
}

TEST(FlexibleCompression, TheFastestRatioFollowsTheNetwork) {
  Settings settings = with_published_ratios();
  settings.choice = RatioRule::fastest;
  const auto ratio = [&](Bandwidth bandwidth) {
    FlexibleCompression policy(settings, {});
    JobStep now = resnet50_step(bandwidth);
    now.compute = 50_ms;
    return explored(policy, now).sent.ratio;
  };
  EXPECT_EQ(ratio(1000_Gbps), 0.1);  // the exchange costs nothing: the best gain
  EXPECT_LT(ratio(1_Gbps), ratio(10_Gbps));
  EXPECT_NEAR(ratio(Bandwidth{1e4}), 0.001, 1e-9);  // the exchange is all
}

TEST(FlexibleCompression, AsPrintedNewGainsWaitForTheNetwork) {
  Settings settings = with_published_ratios();
  settings.search = SearchMoment::network_change;
  FlexibleCompression policy(settings, {});
  const double before = explored(policy, resnet50_step(10_Gbps)).sent.ratio;
  ASSERT_LT(steps_until_exploration(policy, 0.5), 100);
  JobStep flat = resnet50_step(10_Gbps);
  flat.gain = [](const auto& choice) { return choice.ratio > 0.05 ? 1.0 : 0.9; };
  EXPECT_EQ(explored(policy, flat).sent.ratio, before);
  flat.network->bandwidth = 8_Gbps;
  EXPECT_NE(play(policy, flat).sent.ratio, before);
}

TEST(FlexibleCompression, WithoutKnownGainsTheRatioStaysAndIsNotTriedForEver) {
  FlexibleCompression policy(with_published_ratios(), {});
  JobStep blind = resnet50_step(10_Gbps);
  blind.gain = [](const auto&) { return std::nullopt; };
  EXPECT_EQ(explored(policy, blind).sent.ratio, 0.1);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(play(policy, blind).experiment);
}

TEST(FlexibleCompression, AGainOfNormsIsFlatterSoThatTheRatioDiffers) {
  const auto ratio = [](GainMeaning gain) {
    Settings settings = with_published_ratios();
    settings.gain_of = gain;
    FlexibleCompression policy(settings, {});
    return explored(policy, resnet50_step(10_Gbps)).sent.ratio;
  };
  EXPECT_NE(ratio(GainMeaning::squared), ratio(GainMeaning::norm));
}

TEST(FlexibleCompression,
     CompressionTimeCanBeAThirdObjective) {  // the smaller the ratio, the longer it takes
  const auto ratio = [](double weight) {
    Settings settings = with_published_ratios();
    settings.compression_weight = weight;
    FlexibleCompression policy(settings, {});
    std::int64_t trial = 0;
    Decided decided;
    do {
      JobStep now = resnet50_step(10_Gbps);
      now.compress = {0.01 * static_cast<double>(1 + trial++ / settings.steps_each)};
      decided = play(policy, now);
    } while (decided.experiment);
    return decided.sent.ratio;
  };
  EXPECT_GT(ratio(2), ratio(0));
}

}  // namespace
}  // namespace policies
