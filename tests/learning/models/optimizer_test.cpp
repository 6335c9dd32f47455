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

TEST(LearningRate, WarmsUpOverSteps) {
  const RateSchedule schedule{.warmup_steps = 4};
  EXPECT_DOUBLE_EQ(learning_rate(0.2, schedule, {.step = 0}), 0);
  EXPECT_DOUBLE_EQ(learning_rate(0.2, schedule, {.step = 1}), 0.05);
  EXPECT_DOUBLE_EQ(learning_rate(0.2, schedule, {.step = 4}), 0.2);
}

TEST(LearningRate, FallsAsACosineAndStays) {
  using Unit = settings::Moment::Unit;
  const RateSchedule schedule{.decay = RateDecay{DecayShape::cosine, {Unit::step, 300}, 0.1}};
  EXPECT_DOUBLE_EQ(learning_rate(1, schedule, {.step = 0}), 1);
  EXPECT_NEAR(learning_rate(1, schedule, {.step = 100}), 0.1 + 0.9 * 0.75, 1e-14);  // cos 60 degrees = 1/2
  EXPECT_NEAR(learning_rate(1, schedule, {.step = 150}), 0.55, 1e-14);
  EXPECT_NEAR(learning_rate(1, schedule, {.step = 300}), 0.1, 1e-14);
  EXPECT_NEAR(learning_rate(1, schedule, {.step = 5000}), 0.1, 1e-14);
  for (std::int64_t step = 0; step <= 300; ++step) {
    const double t = static_cast<double>(step) / 300;
    EXPECT_NEAR(learning_rate(1, schedule, {.step = step}),
                0.1 + 0.45 * (1 + std::cos(3.14159265358979324 * t)), 1e-14);
  }
}

TEST(LearningRate, FallsInAStraightLineByEpochsBesideTheWarmUp) {
  using Unit = settings::Moment::Unit;
  const RateSchedule schedule{.warmup_steps = 10,
                              .decay = RateDecay{DecayShape::linear, {Unit::epoch, 4}, 0}};
  EXPECT_DOUBLE_EQ(learning_rate(1, schedule, {.step = 5, .epoch = 1}), 0.5 * 0.75);
  EXPECT_DOUBLE_EQ(learning_rate(1, schedule, {.step = 20, .epoch = 3}), 0.25);
}

TEST(LearningRate, RefusesADecayWithoutAnEndAndTwoWarmUps) {
  using Unit = settings::Moment::Unit;
  EXPECT_EQ(problem_of(RateDecay{DecayShape::cosine, {Unit::step, 10}, 0}), std::nullopt);
  EXPECT_EQ(problem_of(RateDecay{DecayShape::cosine, {Unit::step, 0}, 0})->what,
            "the decay of the learning rate ends where it begins");
  EXPECT_EQ(problem_of(RateDecay{DecayShape::cosine, {Unit::time, 10}, 0})->what,
            "the decay of the learning rate ends at a step or an epoch, not at a time");
  EXPECT_EQ(problem_of(RateSchedule{.warmup_epochs = 1, .warmup_steps = 10})->what,
            "the warm-up has two lengths");
}

TEST(LearningRate, RefusesAWarmUpThatIsNotOverBeforeItsDecayIs) {
  using Unit = settings::Moment::Unit;
  RateSchedule schedule{.warmup_steps = 199, .decay = RateDecay{DecayShape::cosine, {Unit::step, 200}, 0}};
  EXPECT_EQ(problem_of(schedule), std::nullopt);
  schedule.warmup_steps = 200;
  EXPECT_EQ(problem_of(schedule)->key, "warmup_steps");
  EXPECT_EQ(problem_of(schedule)->what, "the warm-up takes 200 steps, and the decay is over at step 200");
  EXPECT_EQ(problem_of(schedule)->hint, "accepted: less than 200, the end of the decay");
  schedule = {.warmup_epochs = 3, .decay = RateDecay{DecayShape::linear, {Unit::epoch, 2.5}, 0}};
  EXPECT_EQ(problem_of(schedule)->key, "warmup_epochs");
  EXPECT_EQ(problem_of(schedule)->what, "the warm-up takes 3 epochs, and the decay is over at epoch 2.5");
  schedule.decay->until.unit = Unit::step;  // epochs and steps are compared where the data set is known
  EXPECT_EQ(problem_of(schedule), std::nullopt);
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
  EXPECT_EQ(text_of(optimizer("adamw", AdamW{})), "AdamW, weight decay 0.01");
  EXPECT_EQ(text_of(optimizer("adamw", AdamW{.beta1 = 0.5})),
            "AdamW with beta 0.5 and 0.999, epsilon 1e-08, weight decay 0.01");
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
