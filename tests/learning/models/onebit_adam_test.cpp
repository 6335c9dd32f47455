// 1-bit Adam's steps, by hand.
#include "learning/models/onebit_adam.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "learning/models/optimizer.hpp"

namespace learning::models {
namespace {

using Values = std::vector<float>;

OptimizerChoice onebit_adam(const OneBitAdam& settings = {}) { return optimizer("onebit_adam", settings); }

TEST(OneBitAdam, IsAdamWWhileGradientsAreWhole) {
  Optimizer one(onebit_adam({.weight_decay = 0.5}));
  Optimizer other(optimizer("adamw", AdamW{.weight_decay = 0.5}));
  Values parameter{1}, same{1};
  for (const float gradient : {2.0F, 3.0F, -1.0F}) {
    one.step(parameter, Values{gradient}, 0.1);
    other.step(same, Values{gradient}, 0.1);
    EXPECT_EQ(parameter, same);
  }
}

// m = 0.9 (0.1 2) + 0.1 3 = 0.48 and v = 0.999 (0.001 4) + 0.001 9 = 0.012996 after two steps.
TEST(OneBitAdam, SendsTheMomentumThatItsGradientLeadsTo) {
  Optimizer optimizer(onebit_adam());
  Values parameter{1}, sent(1);
  optimizer.step(parameter, Values{2}, 0.1);
  optimizer.step(parameter, Values{3}, 0.1);
  optimizer.find_momentum(Values{4}, sent);
  EXPECT_NEAR(sent[0], 0.9 * 0.48 + 0.1 * 4, 1e-6);
}

TEST(OneBitAdam, DividesWhatArrivesByTheVarianceOfTheLastDenseStep) {
  Optimizer optimizer(onebit_adam({.weight_decay = 0.5}));
  Values parameter{1}, sent(1);
  optimizer.step(parameter, Values{2}, 0.1);
  optimizer.step(parameter, Values{3}, 0.1);
  double expected = parameter[0];
  const double root = std::sqrt(0.012996 / (1 - 0.999 * 0.999)) + 1e-8;
  double power = 0.81;
  for (const double received : {0.5, -0.25}) {
    optimizer.momentum_step(parameter, Values{static_cast<float>(received)}, 0.1);
    power *= 0.9;
    expected = 0.95 * expected - 0.1 / (1 - power) * received / root;
    EXPECT_NEAR(parameter[0], expected, 1e-6);
  }
  optimizer.find_momentum(Values{4}, sent);
  EXPECT_NEAR(sent[0], 0.9 * -0.25 + 0.1 * 4, 1e-6);  // from what arrived, not from its own
}

TEST(OneBitAdam, LeavesAValueThatHadNoGradientInTheWarmUpWhereItIs) {
  Optimizer optimizer(onebit_adam());
  Values parameters{1, 1}, sent(2);
  optimizer.step(parameters, Values{0, 2}, 0.1);
  optimizer.find_momentum(Values{3, 3}, sent);
  EXPECT_EQ(sent[0], 0);
  optimizer.momentum_step(parameters, Values{0.5F, 0.5F}, 0.1);
  EXPECT_EQ(parameters[0], 1);
  EXPECT_LT(parameters[1], 0.9);
}

TEST(OneBitAdam, ClipsNothing) {
  const OptimizerSettings settings{onebit_adam(), 0.1, 1.0};
  EXPECT_EQ(problem_of(settings)->key, "max_norm");
  EXPECT_EQ(problem_of(settings)->what,
            "`onebit_adam` exchanges momenta, so no worker has the mean gradient that would be clipped");
  EXPECT_EQ(problem_of(settings)->hint, "leave it out");
  EXPECT_EQ(problem_of(OptimizerSettings{onebit_adam(), 0.1, {}}), std::nullopt);
  EXPECT_EQ(problem_of(OptimizerSettings{optimizer("adam", Adam{}), 0.1, 1.0}), std::nullopt);
}

TEST(OneBitAdam, SaysWhatItIs) {
  EXPECT_EQ(describe(onebit_adam()), "1-bit Adam");
  EXPECT_EQ(describe(onebit_adam({.beta2 = 0.99, .weight_decay = 0.1})),
            "1-bit AdamW with beta 0.9 and 0.99, epsilon 1e-08, weight decay 0.1");
}

}  // namespace
}  // namespace learning::models
