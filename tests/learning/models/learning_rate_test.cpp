// Learning rates at moments of a training, by hand.
#include "learning/models/learning_rate.hpp"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace learning::models {
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
  EXPECT_EQ(problem_of(RateSchedule{.warmup_from = 0.1})->what, "the learning rate does not warm up");
  EXPECT_EQ(problem_of(RateSchedule{.warmup_steps = 10, .warmup_from = 0.1}), std::nullopt);
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

}  // namespace learning::models
