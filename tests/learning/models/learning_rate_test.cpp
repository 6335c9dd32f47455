// Tests of the learning rate's schedule.
#include "learning/models/learning_rate.hpp"

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

}  // namespace
}  // namespace learning::models
