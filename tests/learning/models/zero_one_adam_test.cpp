// 0/1 Adam's steps, by hand.
#include "learning/models/zero_one_adam.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "learning/models/optimizer.hpp"

namespace learning::models {
namespace {

using Values = std::vector<float>;

OptimizerChoice zero_one_adam(const ZeroOneAdam& settings = {}) {
  return optimizer("zero_one_adam", settings);
}

/// m, v and p of one value.
struct ByHand {
  double parameter;
  double mean = 0;
  double square = 0;

  [[nodiscard]] double root() const { return std::sqrt(square) + 1e-8; }
};

TEST(ZeroOneAdam, IsAdamWithoutBiasCorrectionsWhileGradientsAreWhole) {
  Optimizer optimizer(zero_one_adam({.beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.5}));
  Values parameter{1};
  ByHand hand{1};
  for (const double gradient : {2.0, 3.0, -1.0, 0.5}) {
    optimizer.step(parameter, Values{static_cast<float>(gradient)}, 0.1);
    hand.mean = 0.8 * hand.mean + 0.2 * gradient;
    hand.square = 0.9 * hand.square + 0.1 * gradient * gradient;
    hand.parameter -= 0.1 * (hand.mean / hand.root() + 0.5 * hand.parameter);
    EXPECT_NEAR(parameter[0], hand.parameter, 1e-6);
  }
}

TEST(ZeroOneAdam, LeavesTheVarianceAloneWhereGradientsAreCompressed) {
  Optimizer optimizer(zero_one_adam());
  Values parameter{1};
  optimizer.step(parameter, Values{2}, 0.1);  // v = 0.001 4
  const double root = std::sqrt(0.004) + 1e-8;
  double expected = parameter[0];
  double mean = 0.2;
  for (const double received : {0.5, -0.25}) {
    optimizer.compressed_step(parameter, Values{static_cast<float>(received)}, 0.1);
    mean = 0.9 * mean + 0.1 * received;
    expected -= 0.1 * mean / root;
    EXPECT_NEAR(parameter[0], expected, 1e-6);
  }
}

// Of one worker whose message arrives as it is: u = -rate m / r, so that m = -r u / rate is its own.
TEST(ZeroOneAdam, IsMomentumWithAFrozenVarianceWhereItExchangesInEveryStep) {
  Optimizer optimizer(zero_one_adam());
  Values parameter{1}, sent(1);
  optimizer.step(parameter, Values{2}, 0.1);
  const double root = std::sqrt(0.004) + 1e-8;
  double expected = parameter[0];
  double mean = 0.2;
  double rate = 0.1;
  for (const double gradient : {3.0, -1.0, 0.5}) {
    Values common = parameter;
    optimizer.local_step(parameter, Values{static_cast<float>(gradient)}, rate);
    mean = 0.9 * mean + 0.1 * gradient;
    expected -= rate * mean / root;
    EXPECT_NEAR(parameter[0], expected, 1e-6);
    optimizer.find_accumulated(sent);
    EXPECT_NEAR(sent[0], -rate * mean, 1e-6);
    optimizer.accumulated_step(common, sent);
    EXPECT_NEAR(common[0], expected, 1e-6);
    parameter = common;
    rate /= 2;
  }
}

// Steps of 0.1 and 0.3: the momentum that arrives is their mean, weighted by the rates.
TEST(ZeroOneAdam, TakesTheMeanMomentumOfItsLocalSteps) {
  Optimizer optimizer(zero_one_adam());
  Values parameter{1}, sent(1);
  optimizer.step(parameter, Values{2}, 0.1);
  const Values common = parameter;
  optimizer.local_step(parameter, Values{3}, 0.1);
  optimizer.local_step(parameter, Values{-4}, 0.3);
  const double first = 0.9 * 0.2 + 0.1 * 3;
  const double second = 0.9 * first - 0.1 * 4;
  optimizer.find_accumulated(sent);
  EXPECT_NEAR(sent[0], -(0.1 * first + 0.3 * second), 1e-6);
  Values taken = common;
  optimizer.accumulated_step(taken, sent);
  EXPECT_NEAR(taken[0], parameter[0], 1e-6);
  const double mean = (0.1 * first + 0.3 * second) / 0.4;
  const double before = taken[0];
  optimizer.local_step(taken, Values{0}, 0.1);
  EXPECT_NEAR(taken[0], before - 0.1 * 0.9 * mean / (std::sqrt(0.004) + 1e-8), 1e-6);
}

TEST(ZeroOneAdam, LeavesAValueWithoutAVarianceWhereItIs) {
  Optimizer optimizer(zero_one_adam());
  Values parameters{1, 1};
  optimizer.step(parameters, Values{0, 2}, 0.1);
  optimizer.compressed_step(parameters, Values{0.5F, 0.5F}, 0.1);
  EXPECT_EQ(parameters[0], 1);
  Values common = parameters;
  optimizer.local_step(parameters, Values{0.5F, 0.5F}, 0.1);
  EXPECT_EQ(parameters[0], 1);
  optimizer.accumulated_step(common, Values{0.5F, 0.5F});
  EXPECT_EQ(common[0], 1);
  EXPECT_NE(common[1], parameters[1]);
}

TEST(ZeroOneAdam, OnlyItAccumulatesMomenta) {
  for (const OptimizerRow& row : optimizers())
    EXPECT_EQ(row.accumulates_momentum(), row.name == "zero_one_adam") << row.name;
}

TEST(ZeroOneAdam, ClipsNothing) {
  const OptimizerSettings settings{zero_one_adam(), 0.1, 1.0};
  EXPECT_EQ(problem_of(settings)->key, "max_norm");
  EXPECT_EQ(problem_of(settings)->what,
            "`zero_one_adam` exchanges momenta, so no worker has the mean gradient that would be clipped");
}

TEST(ZeroOneAdam, SaysWhatItIs) {
  EXPECT_EQ(describe(zero_one_adam()), "0/1 Adam");
  EXPECT_EQ(describe(zero_one_adam({.weight_decay = 0.1})), "0/1 AdamW, weight decay 0.1");
}

TEST(ZeroOneAdam, KeepsItsMomentumWhereAllRatesWereZero) {
  const ZeroOneAdam settings;
  OptimizerState state;
  std::vector<float> parameters{1, 2};
  take_step(settings, state, parameters, std::vector<float>{1, -1}, 0.1);
  take_local_step(settings, state, parameters, std::vector<float>{1, -1}, 0);
  const std::vector<float> momentum = state.first;
  const std::vector<float> before = parameters;
  take_accumulated_step(settings, state, parameters, std::vector<float>{0, 0});
  EXPECT_EQ(state.first, momentum);
  EXPECT_EQ(parameters, before);
}

}  // namespace
}  // namespace learning::models
