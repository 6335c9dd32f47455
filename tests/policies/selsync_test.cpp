// SelSync by hand: smoothed norms, their relative change, and who asks for an exchange.
#include "policies/selsync.hpp"

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "policies/catalogue.hpp"
#include "tests/policies/synchronisations.hpp"

namespace policies {
namespace {

/// A falling norm asks, too.
SelSync::Settings settings(double threshold, double smoothing, std::int64_t warmup_steps = 0) {
  return {.threshold = threshold, .smoothing = smoothing, .absolute = true, .warmup_steps = warmup_steps};
}

/// Feeds squared norms of workers 0, 1, ..., step after step.
class Driven {
 public:
  explicit Driven(const SelSync::Settings& settings) : policy_(std::make_unique<SelSync>(settings)) {}
  explicit Driven(std::unique_ptr<SynchronisationPolicy> policy, std::int64_t step)
      : policy_(std::move(policy)), step_(step) {}

  Synchronisation see(const std::vector<double>& squared_norms) {
    std::vector<std::uint32_t> workers;
    for (std::uint32_t worker = 0; worker < squared_norms.size(); ++worker) workers.push_back(worker);
    return see(workers, squared_norms);
  }
  Synchronisation see(const std::vector<std::uint32_t>& workers, const std::vector<double>& squared_norms) {
    return policy_->decide({step_++, workers, squared_norms, {}});
  }
  /// One worker whose norm does not change, with a change that was measured otherwise.
  Synchronisation see_measured(const MeasuredChange& change) {
    const std::uint32_t worker = 0;
    const double norm = 4;
    SynchronisationObservation seen{step_++, {&worker, 1}, {&norm, 1}, {}};
    seen.measured_change = change;
    return policy_->decide(seen);
  }
  [[nodiscard]] Driven fork() const { return Driven(policy_->copy(), step_); }

 private:
  std::unique_ptr<SynchronisationPolicy> policy_;
  std::int64_t step_ = 0;
};

TEST(SelSync, ExchangesInTheWarmupStepsWhateverTheNormsDo) {
  Driven run(settings(1e9, 0.5, 3));
  for (int step = 0; step < 3; ++step) EXPECT_EQ(run.see({4}), kExchange) << step;
  EXPECT_EQ(run.see({4}), kLocal);
}

TEST(SelSync, TheFirstGradientOfAWorkerAsksForAnExchange) {  // there is no earlier value to compare with
  Driven run(settings(0.5, 0.5));
  EXPECT_EQ(run.see({0}, {4}), kExchange);
  EXPECT_EQ(run.see({0}, {4}), kLocal);
  EXPECT_EQ(run.see({0, 7}, {4, 4}), kExchange);
}

// s = 1/2. E: 4, 4 + (8 - 4) / 2 = 6, so that Delta = 2/4; then 6 + (7 - 6) / 2 = 6.5, Delta = 0.5/6;
// then 6.5 + (0.5 - 6.5) / 2 = 3.5, Delta = 3/6.5 = 0.4615, downwards.
TEST(SelSync, ChangesItsMindWithTheSmoothedNorm) {
  Driven run(settings(0.4, 0.5));
  (void)run.see({4});
  EXPECT_EQ(run.see({8}), kExchange);
  EXPECT_EQ(run.see({7}), kLocal);
  EXPECT_EQ(run.see({0.5}), kExchange);
}

TEST(SelSync, AMeasuredChangeCountsWhereItIsTheOneAskedFor) {
  const SelSync::Settings stated{.threshold = 0.4, .smoothing = 0.5};
  Driven run(stated);
  EXPECT_EQ(run.see_measured({0.0, {25, 0.5}}), kExchange);  // the worker's first
  EXPECT_EQ(run.see_measured({0.4, {25, 0.5}}), kExchange);
  EXPECT_EQ(run.see_measured({0.39, {25, 0.5}}), kLocal);
  EXPECT_EQ(run.see_measured({-0.9, {25, 0.5}}), kLocal);
  EXPECT_EQ(run.see_measured({9.0, {24, 0.5}}), kLocal);  // measured otherwise: the norm has not changed
  EXPECT_EQ(run.see_measured({9.0, {25, 0.4}}), kLocal);
  for (const auto& other :
       {settings(0.4, 0.5), {.threshold = 0.4, .smoothing = 0.5, .norm = GradientNorm::plain}}) {
    Driven otherwise(other);
    (void)otherwise.see_measured({9.0, {25, 0.5}});
    EXPECT_EQ(otherwise.see_measured({9.0, {25, 0.5}}), kLocal);
  }
}

TEST(SelSync, AsPrintedAFallingNormDoesNotAsk) {
  Driven run({.threshold = 0.4, .smoothing = 0.5});
  (void)run.see({4});
  EXPECT_EQ(run.see({8}), kExchange);
  EXPECT_EQ(run.see({7}), kLocal);
  EXPECT_EQ(run.see({0.5}), kLocal);  // Delta is -0.4615
}

// ||g|| goes from 2 to 4, E from 2 to 3: Delta is 0.5, where that of ||g||^2 is 6/4.
TEST(SelSync, NormsThatAreNotSquaredChangeLess) {
  SelSync::Settings plain{.threshold = 0.51, .smoothing = 0.5, .norm = GradientNorm::plain};
  const auto second = [&] {
    Driven run(plain);
    (void)run.see({4});
    return run.see({16});
  };
  EXPECT_EQ(second(), kLocal);
  plain.threshold = 0.5;
  EXPECT_EQ(second(), kExchange);
  plain.threshold = 0.51;
  plain.norm = GradientNorm::squared;
  EXPECT_EQ(second(), kExchange);
}

// A window of 2, s = 1/2: E is the mean of the last two norms, (1 + 9) / 2 = 5, (9 + 9) / 2 = 9; without
// a limit it would be 5, then 7.
TEST(SelSync, WhatLeftTheWindowDoesNotCount) {
  const auto third = [](double threshold, std::size_t window) {
    Driven run({.threshold = threshold, .smoothing = 0.5, .window = window});
    (void)run.see({1});
    (void)run.see({9});
    return run.see({9});
  };
  EXPECT_EQ(third(0.79, 2), kExchange);  // 4/5
  EXPECT_EQ(third(0.81, 2), kLocal);
  EXPECT_EQ(third(0.41, 25), kLocal);  // 2/5
}

// s = 1 and falling changes, 1, 1/2, 1/3, ...: never at the median of those before, but for the first.
TEST(SelSync, AQuantileOfChangesThatGrowSmallerStaysLocal) {
  Driven run({.quantile = 0.5, .smoothing = 1});
  (void)run.see({1});
  EXPECT_EQ(run.see({2}), kExchange);  // nothing to hold it against
  for (int step = 2; step < 10; ++step) EXPECT_EQ(run.see({step + 1.0}), kLocal) << step;
  EXPECT_EQ(run.see({20}), kExchange);  // Delta is 1, more than any before
}

TEST(SelSync, AQuantileKeepsItsShareOfStepsLocalWhateverTheScale) {
  for (const double scale : {0.01, 1.0}) {
    std::mt19937 random(7);
    Driven run({.quantile = 0.8});
    int local = 0;
    for (int step = 0; step < 5000; ++step) {
      const double norm = 10 + scale * static_cast<double>(random() % 1000) / 1000;
      local += run.see({norm, 10}) == kLocal ? 1 : 0;
    }
    EXPECT_NEAR(local / 5000.0, 0.8, 0.02) << scale;
  }
}

TEST(SelSync, AveragesBeforeTheStepWhereAskedTo) {
  Driven run({.threshold = 0.1, .average = AverageMoment::before_step});
  EXPECT_EQ(run.see({1}), Synchronisation::average_before_step);
}

TEST(SelSync, AChangeThatJustReachesTheThresholdIsEnough) {  // Delta is 2/4 exactly
  Driven at(settings(0.5, 0.5));
  (void)at.see({4});
  EXPECT_EQ(at.see({8}), kExchange);
  Driven above(settings(0.5000001, 0.5));
  (void)above.see({4});
  EXPECT_EQ(above.see({8}), kLocal);
}

TEST(SelSync, OneWorkerIsEnough) {  // the second's E goes from 4 to 6
  Driven run(settings(0.4, 0.5));
  (void)run.see({4, 4, 4});
  EXPECT_EQ(run.see({4, 8, 4}), kExchange);
  EXPECT_EQ(run.see({4, 6, 4}), kLocal);
}

TEST(SelSync, EveryWorkerKeepsItsOwnAverageAlsoWhereOthersAreLost) {
  Driven run(settings(0.4, 0.5));
  (void)run.see({0, 1, 2}, {1, 10, 100});
  EXPECT_EQ(run.see({0, 2}, {1, 100}), kLocal);
  EXPECT_EQ(run.see({2}, {100}), kLocal);
}

// E of 8 workers moves by 8 % of the difference: from 1 to 1 + 0.08 x 2 = 1.16.
TEST(SelSync, SmoothsByAHundredthOfTheWorkersWhereNothingIsStated) {
  const auto second = [](double threshold) {
    Driven run({.threshold = threshold});
    (void)run.see(std::vector<double>(8, 1));
    return run.see(std::vector<double>(8, 3));
  };
  EXPECT_EQ(second(0.159), kExchange);
  EXPECT_EQ(second(0.161), kLocal);
}

TEST(SelSync, SmoothsByNoMoreThanOne) {  // 200 workers: E is the last norm, Delta is 2
  Driven run({.threshold = 1.9});
  (void)run.see(std::vector<double>(200, 1));
  EXPECT_EQ(run.see(std::vector<double>(200, 3)), kExchange);
  Driven patient({.threshold = 2.1});
  (void)patient.see(std::vector<double>(200, 1));
  EXPECT_EQ(patient.see(std::vector<double>(200, 3)), kLocal);
}

TEST(SelSync, AThresholdOfZeroIsBulkSynchronous) {
  Driven run(settings(0, 0.5));
  for (int step = 0; step < 5; ++step) EXPECT_EQ(run.see({4, 4}), kExchange) << step;
}

TEST(SelSync, AThresholdAboveEveryChangeIsLocalForEver) {
  Driven run(settings(1e9, 1));
  (void)run.see({1});
  for (int step = 0; step < 50; ++step) EXPECT_EQ(run.see({step % 2 == 0 ? 1e-6 : 1e-3}), kLocal) << step;
}

TEST(SelSync, AverageThatRisesFromZeroAsksAndOneThatStaysZeroDoesNot) {
  Driven run(settings(1e9, 0.5));
  (void)run.see({0});
  EXPECT_EQ(run.see({0}), kLocal);
  EXPECT_EQ(run.see({1e-30}), kExchange);
}

TEST(SelSync, AGradientThatIsNoNumberAsks) {
  Driven run(settings(1e9, 0.5));
  (void)run.see({1});
  EXPECT_EQ(run.see({std::numeric_limits<double>::quiet_NaN()}), kExchange);
}

TEST(SelSync, WorkersWithoutGradientsNeverAsk) {
  const auto policy = std::make_unique<SelSync>(settings(0, 0.5, 1));
  const std::vector<std::uint32_t> workers{0, 1};
  EXPECT_EQ(policy->decide({0, workers, {}, {}}), kExchange);
  EXPECT_EQ(policy->decide({1, workers, {}, {}}), kLocal);
}

TEST(SelSync, ExchangesGradientsWhereAskedTo) {
  Driven run({.threshold = 0, .averaged = Averaged::gradients});
  EXPECT_EQ(run.see({1}), Synchronisation::average_gradients);
}

TEST(SelSync, TheSameNormsTwiceGiveTheSameDecisions) {
  const auto decide = [] {
    std::mt19937 random(7);
    Driven run(settings(0.1, 0.16));
    std::vector<Synchronisation> decisions;
    for (int step = 0; step < 200; ++step)
      decisions.push_back(run.see({static_cast<double>(1 + random() % 10), 5}));
    return decisions;
  };
  EXPECT_EQ(decide(), decide());
}

TEST(SelSync, ACopyRemembersAndThenGoesItsOwnWay) {
  Driven run(settings(0.4, 0.5));
  (void)run.see({4});
  Driven fork = run.fork();
  EXPECT_EQ(fork.see({8}), kExchange);  // as the original would: it knows the 4
  EXPECT_EQ(fork.see({6}), kLocal);
  EXPECT_EQ(run.see({4}), kLocal);  // untouched by its copy
  EXPECT_EQ(run.see({8}), kExchange);
}

}  // namespace
}  // namespace policies
