// GraVAC by hand: the ladder, the thresholds on the gains, the climb, the rise of the floor and the end of
// the search.
#include "policies/gravac.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

using netmodels::Seconds;

std::vector<double> factors_of(const std::vector<CompressionFactor>& ladder) {
  std::vector<double> numbers;
  for (const CompressionFactor factor : ladder) numbers.push_back(factor.value);
  return numbers;
}

/// By factor: the gain, and how long a step takes that sends it.
struct Facts {
  double gain;
  double seconds;
};
using FactsByFactor = std::map<int, Facts>;

int factor_of(const CompressionChoice& choice) { return static_cast<int>(std::lround(1 / choice.ratio)); }

JobStep step_of(const FactsByFactor& facts) {
  return {.gain = [facts](const auto& choice) { return facts.at(factor_of(choice)).gain; },
          .duration = [facts](const auto& choice) { return Seconds{facts.at(factor_of(choice)).seconds}; }};
}

std::vector<int> tried(const Decided& decided) {
  std::vector<int> factors;
  for (const CompressionChoice& trial : decided.trials) factors.push_back(factor_of(trial));
  return factors;
}

/// The trials and the messages of each of the next steps.
using Course = std::vector<std::pair<std::vector<int>, int>>;

Course course(Gravac& policy, const FactsByFactor& facts, int steps) {
  Course seen;
  for (int i = 0; i < steps; ++i) {
    const Decided decided = play(policy, step_of(facts));
    seen.emplace_back(tried(decided), factor_of(decided.sent));
  }
  return seen;
}

Gravac::Settings each_step() {
  Gravac::Settings settings;
  settings.window = 1;
  return settings;
}

// Compression throughputs: dense 100, 10: 237.5, 20: 300, 40: 400, 160: 400, 1000: 200.
const FactsByFactor ordinary{{1, {1, 10}},   {10, {0.95, 4}},   {20, {0.9, 3}},
                             {40, {0.8, 2}}, {160, {0.6, 1.5}}, {1000, {0.2, 1}}};

TEST(CompressionFactor, IsTheInverseOfARatio) { EXPECT_EQ(CompressionFactor{10}.ratio(), 0.1); }

TEST(FactorLadder, IsThePublishedSequence) {
  EXPECT_EQ(factors_of(factor_ladder(FactorScaling::exponential, {10}, {1000})),
            (std::vector<double>{10, 20, 40, 160, 1000}));
  EXPECT_EQ(factors_of(factor_ladder(FactorScaling::geometric, {10}, {2000})),
            (std::vector<double>{10, 20, 40, 80, 160, 320, 640, 1280, 2000}));
  EXPECT_EQ(factors_of(factor_ladder(FactorScaling::geometric, {1.5}, {24})),
            (std::vector<double>{1.5, 3, 6, 12, 24}));
}

TEST(FactorLadder, OfOneFactorHasOneRung) {
  EXPECT_EQ(factors_of(factor_ladder(FactorScaling::geometric, {10}, {10})), (std::vector<double>{10}));
}

TEST(Gravac, BeginsWithTheFloorAloneAndClimbsWindowByWindow) {
  Gravac::Settings settings;
  settings.window = 2;
  Gravac policy(settings, on_topk);
  EXPECT_EQ(course(policy, ordinary, 6),
            (Course{{{10}, 10}, {{10}, 10}, {{10, 20}, 20}, {{10, 20}, 20}, {{10, 40}, 40}, {{10, 40}, 40}}));
}

TEST(Gravac, AFactorOfTwoIsCompressedAsAnyOther) {
  Gravac::Settings settings = each_step();
  settings.min_factor = 2;
  Gravac policy(settings, on_topk);
  EXPECT_EQ(course(policy, {{2, {0.98, 6}}, {4, {0.96, 5}}}, 2), (Course{{{2}, 2}, {{2, 4}, 4}}));
}

TEST(Gravac, SendsTheFloorWhereTheCandidateLosesTooMuch) {
  Gravac policy(each_step(), on_topk);
  (void)course(policy, ordinary, 3);
  EXPECT_EQ(course(policy, ordinary, 3), (Course{{{10, 160}, 10}, {{10, 1000}, 10}, {{10, 1000}, 10}}));
}

TEST(Gravac, SendsTheDenseGradientWhereTheFloorLosesTooMuchToo) {
  Gravac policy(each_step(), on_topk);
  FactsByFactor facts = ordinary;
  EXPECT_EQ(course(policy, facts, 2), (Course{{{10}, 10}, {{10, 20}, 20}}));
  facts[10].gain = 0.69;
  facts[40].gain = 0.5;
  EXPECT_EQ(course(policy, facts, 1), (Course{{{10, 40}, 1}}));
}

TEST(Gravac, AHigherThresholdKeepsFactorsLower) {
  Gravac::Settings settings = each_step();
  settings.gain = 0.9;
  Gravac policy(settings, on_topk);
  EXPECT_EQ(course(policy, ordinary, 4),
            (Course{{{10}, 10}, {{10, 20}, 20}, {{10, 40}, 10}, {{10, 160}, 10}}));
}

TEST(Gravac, TheFloorRisesToACandidateThatLosesHardlyMore) {  // 0.005 of 0.95 is below 1 %
  Gravac policy(each_step(), on_topk);
  FactsByFactor facts = ordinary;
  facts[20].gain = 0.945;
  EXPECT_EQ(course(policy, facts, 3), (Course{{{10}, 10}, {{10, 20}, 20}, {{20, 40}, 40}}));
}

TEST(Gravac, TheFloorStaysWhereTheCandidateLosesMoreThanTheTolerance) {  // 0.014 of 0.95 is 1.5 %
  Gravac policy(each_step(), on_topk);
  FactsByFactor facts = ordinary;
  facts[20].gain = 0.936;
  EXPECT_EQ(course(policy, facts, 3), (Course{{{10}, 10}, {{10, 20}, 20}, {{10, 40}, 40}}));
}

TEST(Gravac, TheFloorStaysWhereTheCandidatesGainIsNoNumber) {
  Gravac policy(each_step(), on_topk);
  FactsByFactor facts = ordinary;
  facts[20].gain = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(course(policy, facts, 3), (Course{{{10}, 10}, {{10, 20}, 10}, {{10, 40}, 40}}));
}

TEST(Gravac, AsPrintedTheFloorRisesToTheNextCandidate) {
  Gravac::Settings settings = each_step();
  settings.as_printed = true;
  Gravac policy(settings, on_topk);
  FactsByFactor facts = ordinary;
  facts[20].gain = 0.945;
  EXPECT_EQ(course(policy, facts, 4), (Course{{{10}, 10}, {{10, 20}, 20}, {{40}, 40}, {{40, 160}, 40}}));
}

// 10: 237.5, 20: 302 x 0.9 / 0.9, 40: 300; they differ by 0.67 %.
TEST(Gravac, StaysWithTheLowerFactorOfTheTwoBestThroughputsWhenTheyAreLevel) {
  FactsByFactor facts = ordinary;
  facts[20].seconds = 1000 * 0.9 / 302;
  facts[40].seconds = 1000 * 0.8 / 300;
  Gravac policy(each_step(), on_topk);
  (void)course(policy, facts, 3);
  EXPECT_EQ(course(policy, facts, 3), (Course{{{10, 20}, 20}, {{10, 20}, 20}, {{10, 20}, 20}}));
}

TEST(Gravac, AsPrintedItStaysWithTheFactorOfTheSecondBest) {
  FactsByFactor facts = ordinary;
  facts[20].seconds = 1000 * 0.9 / 302;
  facts[40].seconds = 1000 * 0.8 / 300;
  Gravac::Settings settings = each_step();
  settings.as_printed = true;
  Gravac policy(settings, on_topk);
  (void)course(policy, facts, 3);
  EXPECT_EQ(course(policy, facts, 2), (Course{{{10, 40}, 40}, {{10, 40}, 40}}));
}

TEST(Gravac, DoesNotSearchAgainWhenThroughputsMoveApart) {
  FactsByFactor facts = ordinary;
  facts[20].seconds = 1000 * 0.9 / 302;
  facts[40].seconds = 1000 * 0.8 / 300;
  Gravac policy(each_step(), on_topk);
  (void)course(policy, facts, 3);
  facts[20].seconds /= 2;
  EXPECT_EQ(course(policy, facts, 2), (Course{{{10, 20}, 20}, {{10, 20}, 20}}));
}

TEST(Gravac, AFloorThatHadRisenComesDownToALowerIdeal) {  // factor 10: 300, 20: 301, of nearly the same gain
  Gravac policy(each_step(), on_topk);
  FactsByFactor facts = ordinary;
  facts[10].seconds = 1000 * 0.95 / 300;
  facts[20] = {0.945, 1000 * 0.945 / 301};
  EXPECT_EQ(course(policy, facts, 4), (Course{{{10}, 10}, {{10, 20}, 20}, {{10}, 10}, {{10}, 10}}));
}

TEST(Gravac, ThresholdsStayInForceAfterTheSearch) {
  FactsByFactor facts = ordinary;
  facts[20].seconds = 1000 * 0.9 / 302;
  facts[40].seconds = 1000 * 0.8 / 300;
  Gravac policy(each_step(), on_topk);
  (void)course(policy, facts, 3);
  facts[20].gain = 0.6;
  EXPECT_EQ(course(policy, facts, 1), (Course{{{10, 20}, 10}}));
  facts[10].gain = 0.6;
  EXPECT_EQ(course(policy, facts, 1), (Course{{{10, 20}, 1}}));
}

TEST(Gravac, StopsCompressingWhereTheDenseGradientIsAsGood) {  // factor 10: 1000/8 x 0.8, dense: 1000/10
  Gravac policy(each_step(), on_topk);
  (void)course(policy, {{10, {0.8, 8}}}, 1);
  const FactsByFactor worse{{1, {1, 10}}, {10, {0.1, 8}}, {20, {0.1, 8}}};
  EXPECT_EQ(course(policy, worse, 1), (Course{{{10, 20}, 1}}));
  EXPECT_EQ(course(policy, worse, 2), (Course{{{1}, 1}, {{1}, 1}}));
}

// As above, but 2 of the 10 s went into trials: without them the dense gradient is 25 % better, and the
// search goes on.
TEST(Gravac, ChargesTrialsToTheDenseGradientUnlessToldOtherwise) {
  const auto third = [](bool charge) {
    Gravac::Settings settings = each_step();
    settings.as_printed = !charge;
    Gravac policy(settings, on_topk);
    (void)course(policy, {{10, {0.8, 8}}}, 1);
    JobStep worse = step_of({{1, {1, 10}}, {10, {0.1, 8}}, {20, {0.1, 8}}, {40, {0.1, 8}}});
    worse.compress = {2};
    (void)play(policy, worse);
    return tried(play(policy, worse));
  };
  EXPECT_EQ(third(true), (std::vector{1}));
  EXPECT_EQ(third(false),
            (std::vector{40}));  // 10 and 20 had the same gain: the floor rose, as printed to the next
}

TEST(Gravac, SmoothsGainsByAHundredthOfTheWorkers) {  // N = 50: 0.9, then 0.9 + (0.5 - 0.9) / 2 = 0.7
  const auto second = [](double threshold) {
    Gravac::Settings settings;
    settings.gain = threshold;
    Gravac policy(settings, on_topk);
    JobStep now = step_of({{1, {1, 1}}, {10, {0.9, 1}}});
    now.workers = 50;
    (void)play(policy, now);
    now.gain = [](const auto&) { return 0.5; };
    return factor_of(play(policy, now).sent);
  };
  EXPECT_EQ(second(0.69), 10);
  EXPECT_EQ(second(0.71), 1);
}

TEST(Gravac, WhatNobodyKnowsIsSentDense) {
  Gravac policy({}, on_topk);
  JobStep blind;
  blind.gain = [](const auto&) { return std::nullopt; };
  EXPECT_EQ(factor_of(play(policy, blind).sent), 1);
}

TEST(Gravac, AGainThatIsNoNumberCountsForItsStepAlone) {
  Gravac policy({}, on_topk);
  JobStep broken;
  broken.gain = [](const auto&) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_EQ(factor_of(play(policy, broken).sent), 1);
  EXPECT_EQ(factor_of(play(policy, step_of(ordinary)).sent), 10);
}

TEST(Gravac, NeverLeavesItsBounds) {
  Gravac policy(each_step(), on_topk);
  for (int i = 0; i < 50; ++i) {
    const Decided decided =
        play(policy,
             {.gain = [&](const auto&) { return 0.99 - 0.001 * (i % 7); },
              .duration = [&](const auto& choice) { return Seconds{1 + 9 * choice.ratio + 0.3 * (i % 3)}; }});
    for (const CompressionChoice& trial : decided.trials) {
      if (trial.method == "none") continue;
      EXPECT_GE(trial.ratio, 0.001);
      EXPECT_LE(trial.ratio, 0.1);
    }
  }
}

}  // namespace
}  // namespace policies
