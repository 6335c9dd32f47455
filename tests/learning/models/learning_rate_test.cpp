// Tests of the learning rate's schedule.
#include "learning/models/learning_rate.hpp"

#include <gtest/gtest.h>

namespace learning::models {
namespace {

TEST(LearningRate, IsItsBaseWithoutASchedule) {
  EXPECT_EQ(learning_rate({.base = 0.3}, {.step = 1000, .epoch = 7, .batch = 512}), 0.3);
}

TEST(LearningRate, GrowsWithTheBatch) {
  const LearningRate schedule{.base = 0.1, .of_batch = 256};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, {.batch = 1024}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, {.batch = 64}), 0.025);
}

TEST(LearningRate, WarmsUpFromTheBaseToTheScaledRate) {
  const LearningRate schedule{.base = 0.1, .of_batch = 256, .warm_up_epochs = 5, .warm_up_from = 0.25};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, {.epoch = 0, .batch = 1024}), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, {.epoch = 2.5, .batch = 1024}), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, {.epoch = 5, .batch = 1024}), 0.4);
}

TEST(LearningRate, ChangesAtEpochsAndSteps) {
  const LearningRate schedule{
      .base = 1,
      .of_batch = {},
      .changes = {{RateChange::Unit::epoch, 10, 0.5}, {RateChange::Unit::step, 700, 0.1}}};
  EXPECT_EQ(learning_rate(schedule, {.step = 699, .epoch = 9.99}), 1);
  EXPECT_EQ(learning_rate(schedule, {.step = 699, .epoch = 10}), 0.5);
  EXPECT_EQ(learning_rate(schedule, {.step = 700, .epoch = 9}), 0.1);
  EXPECT_EQ(learning_rate(schedule, {.step = 700, .epoch = 10}), 0.05);
}

}  // namespace
}  // namespace learning::models
