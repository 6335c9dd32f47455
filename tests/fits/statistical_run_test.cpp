// Steps to a target from a noisy metric, by hand.
#include "calibrate/fits/statistical_run.hpp"

#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

TrainingRun run_of(std::vector<std::optional<double>> metrics) {
  TrainingRun run;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    run.rows.emplace_back();
    run.rows.back().step = 10 * static_cast<double>(i + 1);
    run.rows.back().metric = metrics[i];
  }
  return run;
}

TEST(StepsToTarget, FirstIsTheFirstEvaluationAtOrAbove) {
  const TrainingRun run = run_of({0.1, 0.6, 0.4, 0.8});
  EXPECT_EQ(steps_to_target(run, 0.5, StepsTo::first), 20);
  EXPECT_EQ(steps_to_target(run, 0.8, StepsTo::first), 40);
}

TEST(StepsToTarget, SmoothedCrossesTheMonotoneRegression) {
  const TrainingRun run = run_of({0.1, 0.6, 0.4, 0.9});  // 0.1, 0.5, 0.5, 0.9
  EXPECT_DOUBLE_EQ(*steps_to_target(run, 0.3, StepsTo::smoothed), 15);
  EXPECT_DOUBLE_EQ(*steps_to_target(run, 0.7, StepsTo::smoothed), 35);
  EXPECT_DOUBLE_EQ(*steps_to_target(run, 0.05, StepsTo::smoothed), 10);
}

TEST(StepsToTarget, StepsWithoutEvaluationArePassedOver) {
  EXPECT_DOUBLE_EQ(*steps_to_target(run_of({0.1, std::nullopt, 0.5}), 0.3, StepsTo::smoothed), 20);
}

TEST(StepsToTarget, IsNothingWhereNotReached) {
  EXPECT_FALSE(steps_to_target(run_of({0.1, 0.6}), 0.7, StepsTo::first).has_value());
  EXPECT_FALSE(steps_to_target(run_of({0.1, 0.6, 0.4}), 0.6, StepsTo::smoothed).has_value());
  EXPECT_FALSE(steps_to_target(run_of({std::nullopt}), 0.1, StepsTo::first).has_value());
}

TEST(TrainingRun, IsCompressedWhereLessThanAllIsSent) {
  TrainingRun run;
  EXPECT_FALSE(run.is_compressed());
  run.method = "topk";
  EXPECT_FALSE(run.is_compressed());
  run.ratio = 0.5;
  EXPECT_TRUE(run.is_compressed());
}

TEST(TrainingRun, IsCompressedByMethodsThatChangeValuesToo) {
  TrainingRun run;
  for (const std::string method : {"signsgd", "qsgd", "fp16", "powersgd"}) {
    run.method = method;
    EXPECT_TRUE(run.is_compressed()) << method;
  }
  run.method = "ar_topk_by_variance";
  EXPECT_FALSE(run.is_compressed());
}

}  // namespace
}  // namespace calibrate::fits
