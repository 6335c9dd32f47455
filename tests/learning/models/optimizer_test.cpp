// Steps of optimizers and learning rates, by hand.
#include "learning/models/optimizer.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace learning::models {

// Tests of the learning rate's schedule.

namespace {

TEST(LearningRate, IsItsBaseWithoutASchedule) {
  EXPECT_EQ(learning_rate(0.3, {}, {.step = 1000, .epoch = 7, .batch = 512}), 0.3);
}

TEST(LearningRate, GrowsWithTheBatch) {
  const RateSchedule schedule{.reference_batch = 256};
  EXPECT_DOUBLE_EQ(learning_rate(0.1, schedule, {.batch = 1024}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(0.1, schedule, {.batch = 64}), 0.025);
}

TEST(LearningRate, WarmsUpFromTheBaseToTheScaledRate) {
  const RateSchedule schedule{.warmup_epochs = 5, .warmup_from = 0.25, .reference_batch = 256};
  EXPECT_DOUBLE_EQ(learning_rate(0.1, schedule, {.epoch = 0, .batch = 1024}), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(0.1, schedule, {.epoch = 2.5, .batch = 1024}), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(0.1, schedule, {.epoch = 5, .batch = 1024}), 0.4);
}

TEST(LearningRate, ChangesAtEpochsAndSteps) {
  using Unit = settings::Moment::Unit;
  const RateSchedule schedule{.changes = {{{Unit::epoch, 10}, 0.5}, {{Unit::step, 700}, 0.1}}};
  EXPECT_EQ(learning_rate(1, schedule, {.step = 699, .epoch = 9.99}), 1);
  EXPECT_EQ(learning_rate(1, schedule, {.step = 699, .epoch = 10}), 0.5);
  EXPECT_EQ(learning_rate(1, schedule, {.step = 700, .epoch = 9}), 0.1);
  EXPECT_EQ(learning_rate(1, schedule, {.step = 700, .epoch = 10}), 0.05);
}

}  // namespace

// Tests of the optimizers: two steps by hand, copies, resets.

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

TEST(Optimizers, SayWhatTheyAre) {
  EXPECT_EQ(text_of(sgd({.momentum = 0})), "SGD");
  EXPECT_EQ(text_of(sgd({})), "SGD with momentum 0.9");
  EXPECT_EQ(text_of(adam({.weight_decay = 0.1})), "Adam");
  EXPECT_EQ(text_of(adam({.beta1 = 0.5})), "Adam with beta 0.5 and 0.999, epsilon 1e-08");
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

}  // namespace
}  // namespace learning::models
