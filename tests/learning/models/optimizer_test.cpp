// Steps of optimizers, by hand.
#include "learning/models/optimizer.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::models {

namespace {

using Values = std::vector<float>;

OptimizerChoice sgd(const Sgd& settings) { return optimizer("sgd", settings); }
OptimizerChoice adam(const Adam& settings = {}) { return optimizer("adam", settings); }

/// One parameter, from 1, after two steps with gradients 2 and 3 at rate 0.1.
double after_two(const OptimizerChoice& choice) {
  Optimizer optimizer(choice);
  Values parameter{1};
  optimizer.step(parameter, Values{2}, 0.1);
  optimizer.step(parameter, Values{3}, 0.1);
  return static_cast<double>(parameter[0]);
}

TEST(Sgd, GoesDownTheGradient) { EXPECT_NEAR(after_two(sgd({.momentum = 0})), 1 - 0.2 - 0.3, 1e-7); }

TEST(Sgd, AddsUpItsVelocity) {
  EXPECT_NEAR(after_two(sgd({.momentum = 0.9})), 1 - 0.1 * 2 - 0.1 * (0.9 * 2 + 3), 1e-7);
}

TEST(Sgd, LooksAheadWithNesterov) {
  const double first = 1 - 0.1 * (2 + 0.9 * 2);
  EXPECT_NEAR(after_two(sgd({.momentum = 0.9, .nesterov = true})), first - 0.1 * (3 + 0.9 * (0.9 * 2 + 3)),
              1e-7);
}

TEST(Sgd, PullsParametersToZero) {
  const double first = 1 - 0.1 * (2 + 0.5);
  EXPECT_NEAR(after_two(sgd({.momentum = 0, .weight_decay = 0.5})), first - 0.1 * (3 + 0.5 * first), 1e-7);
  const double velocity = 2 + 0.5;
  EXPECT_NEAR(after_two(sgd({.momentum = 0.9, .weight_decay = 0.5})),
              first - 0.1 * (0.9 * velocity + 3 + 0.5 * first), 1e-7);
}

TEST(Adam, IsItsFormula) {
  const double m = 0.9 * (0.1 * 2) + 0.1 * 3;
  const double v = 0.999 * (0.001 * 4) + 0.001 * 9;
  const double second = 0.1 / (1 - 0.81) * m / (std::sqrt(v / (1 - 0.999 * 0.999)) + 1e-8);
  EXPECT_NEAR(after_two(adam()), 1 - 0.1 - second, 1e-6);
}

TEST(Adam, MovesByTheRateAtFirstWhateverTheGradient) {
  for (const float slope : {1e-3F, 1.0F, 1e3F}) {
    Optimizer optimizer(adam());
    Values parameter{1};
    optimizer.step(parameter, Values{slope}, 0.1);
    EXPECT_NEAR(parameter[0], 0.9, 2e-6);
  }
}

TEST(Adam, IsItsFormulaWithOtherConstantsToo) {
  const double m = 0.5 * (0.5 * 2) + 0.5 * 3;
  const double v = 0.75 * (0.25 * 4) + 0.25 * 9;
  const double first = 0.1 / 0.5 * 1 / (std::sqrt(1 / 0.25) + 0.5);
  const double second = 0.1 / (1 - 0.25) * m / (std::sqrt(v / (1 - 0.75 * 0.75)) + 0.5);
  EXPECT_NEAR(after_two(adam({.beta1 = 0.5, .beta2 = 0.75, .epsilon = 0.5})), 1 - first - second, 1e-6);
}

// By hand: p = 1, rate 0.1, decay 0.5, gradients 2, 3, -1.
TEST(AdamW, IsItsFormulaOverThreeSteps) {
  Optimizer optimizer_of_one(optimizer("adamw", AdamW{.weight_decay = 0.5}));
  Values parameter{1};
  double p = 1, m = 0, v = 0, left1 = 1, left2 = 1;
  for (const double slope : {2.0, 3.0, -1.0}) {
    optimizer_of_one.step(parameter, Values{static_cast<float>(slope)}, 0.1);
    p *= 0.95;
    m = 0.9 * m + 0.1 * slope;
    v = 0.999 * v + 0.001 * slope * slope;
    left1 *= 0.9;
    left2 *= 0.999;
    p -= 0.1 * (m / (1 - left1)) / (std::sqrt(v / (1 - left2)) + 1e-8);
    EXPECT_NEAR(parameter[0], p, 1e-6);
  }
  EXPECT_NEAR(p, 0.616281, 1e-6);
}

TEST(AdamW, WithoutDecayIsAdam) {
  EXPECT_EQ(after_two(optimizer("adamw", AdamW{.weight_decay = 0})), after_two(adam()));
}

// Rate 0.1 and decay 0.5: 1 becomes 0.95 and then goes 0.1 down, up or nowhere.
TEST(Sign, StepsAreOfOneLength) {
  Optimizer optimizer_of_four(optimizer("sign", SignDescent{.weight_decay = 0.5}));
  Values parameters{1, 1, 1, 1};
  optimizer_of_four.step(parameters, Values{1e-20F, -300, 0, std::nanf("")}, 0.1);
  EXPECT_NEAR(parameters[0], 0.85, 1e-7);
  EXPECT_NEAR(parameters[1], 1.05, 1e-7);
  EXPECT_NEAR(parameters[2], 0.95, 1e-7);
  EXPECT_TRUE(std::isnan(parameters[3]));
}

// A matrix and a vector: 2 x 2 of slopes diag(3, 4), then one slope of 2.
TEST(Muon, OrthogonalisesMatricesAndTakesAdamsStepOnVectors) {
  const auto polynomial = [](double s) { return 3.4445 * s - 4.775 * s * s * s + 2.0315 * std::pow(s, 5); };
  const Muon once{.iterations = 1, .weight_decay = 0.5};
  Optimizer optimizer_of_five(OptimizerSettings{.method = optimizer("muon", once)}, {{2, 2}, {1, 1}});
  Values parameters{1, 1, 1, 1, 1};
  optimizer_of_five.step(parameters, Values{3, 0, 0, 4, 2}, 0.1);
  const double scale = 0.1 * 0.2 * std::sqrt(2);
  EXPECT_NEAR(parameters[0], 0.95 - scale * polynomial(0.6), 1e-6);
  EXPECT_NEAR(parameters[3], 0.95 - scale * polynomial(0.8), 1e-6);
  EXPECT_NEAR(parameters[1], 0.95, 1e-7);
  EXPECT_NEAR(parameters[4], 0.95 - 0.1, 1e-6);
  optimizer_of_five.step(parameters, Values{0, 0, 0, 0, 2}, 0.1);  // the momentum goes on alone, Adam's, too
  EXPECT_NEAR(parameters[0], 0.95 * (0.95 - scale * polynomial(0.6)) - scale * polynomial(0.6), 1e-6);
  EXPECT_NEAR(parameters[4], 0.95 * 0.85 - 0.1, 1e-6);
}

TEST(Muon, LeavesTheFirstAndTheLastOfThreeMatricesToAdam) {
  Optimizer optimizer_of_three(OptimizerSettings{.method = optimizer("muon", Muon{.weight_decay = 0})},
                               {{2, 2}, {2, 2}, {2, 2}});
  Values parameters(12), slopes(12);
  slopes[0] = slopes[4] = slopes[8] = 7;
  optimizer_of_three.step(parameters, slopes, 0.1);
  EXPECT_NEAR(parameters[0], -0.1, 1e-6);
  EXPECT_NE(parameters[4], parameters[0]);
  EXPECT_NEAR(parameters[8], -0.1, 1e-6);
}

TEST(Optimizer, ClipsTheNormOfTheWholeGradient) {
  Optimizer clipped(OptimizerSettings{.method = sgd({.momentum = 0}), .max_norm = 1});
  Values parameters{0, 0};
  clipped.step(parameters, Values{3, 4}, 1);  // norm 5
  EXPECT_NEAR(parameters[0], -0.6, 1e-7);
  EXPECT_NEAR(parameters[1], -0.8, 1e-7);
  clipped.step(parameters, Values{0.3F, 0.4F}, 1);  // norm 0.5: as it is
  EXPECT_NEAR(parameters[0], -0.9, 1e-7);
}

TEST(Optimizers, SayWhatTheyAre) {
  EXPECT_EQ(describe(optimizer("adamw", AdamW{})), "AdamW, weight decay 0.01");
  EXPECT_EQ(describe(optimizer("adamw", AdamW{.beta1 = 0.5})),
            "AdamW with beta 0.5 and 0.999, epsilon 1e-08, weight decay 0.01");
  EXPECT_EQ(describe(sgd({.momentum = 0})), "SGD");
  EXPECT_EQ(describe(sgd({})), "SGD with momentum 0.9");
  EXPECT_EQ(describe(adam({.weight_decay = 0.1})), "Adam");
  EXPECT_EQ(describe(adam({.beta1 = 0.5})), "Adam with beta 0.5 and 0.999, epsilon 1e-08");
}

TEST(Optimizer, CopiesGoOnByThemselvesAndResetForgets) {
  Optimizer original(sgd({.momentum = 0.5}));
  Values parameter{1};
  original.step(parameter, Values{1}, 1);
  Optimizer copy = original;
  Values of_original{0}, of_copy{0};
  copy.step(of_copy, Values{1}, 1);
  original.step(of_original, Values{1}, 1);
  EXPECT_EQ(of_copy, of_original);
  EXPECT_EQ(of_copy[0], -1.5F);
  copy.reset();
  of_copy = {0};
  copy.step(of_copy, Values{1}, 1);
  EXPECT_EQ(of_copy[0], -1);
  EXPECT_EQ(copy.choice().as<Sgd>().momentum, 0.5);
}

TEST(Sgd, NesterovNeedsMomentum) {
  EXPECT_EQ(problem_of(Sgd{.momentum = 0, .nesterov = true})->what,
            "Nesterov momentum needs a momentum above 0, and `momentum` is 0");
  EXPECT_EQ(problem_of(Sgd{.momentum = 0}), std::nullopt);
  EXPECT_EQ(problem_of(Sgd{.nesterov = true}), std::nullopt);
}

}  // namespace
}  // namespace learning::models
