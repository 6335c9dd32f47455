// S(B) fitted to steps: exact models are recovered, and the held-out error is honest.
#include <gtest/gtest.h>

#include "calibrate/fits/statistical.hpp"

namespace calibrate::fits {
namespace {

std::vector<BatchSteps> exact(double least_steps, double critical_batch) {
  std::vector<BatchSteps> points;
  for (const double batch : {512.0, 64.0, 128.0})
    points.push_back({batch, least_steps * (1 + critical_batch / batch)});
  return points;
}

TEST(FitBatches, FindsAnExactLawAgain) {
  const auto fit = fit_batches(exact(100, 256));
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->law.least_steps, 100, 1e-9);
  EXPECT_NEAR(fit->law.critical_batch, 256, 1e-9);
  EXPECT_NEAR(fit->in_sample.worst, 0, 1e-12);
  ASSERT_TRUE(fit->held_out.has_value());
  EXPECT_NEAR(fit->held_out->worst, 0, 1e-12);
  EXPECT_EQ(fit->rows.front().measured.batch, 64);
  EXPECT_NEAR(*fit->rows.front().held_out, 500, 1e-9);
}

TEST(FitBatches, ErrorsAreRelativeToWhatWasMeasured) {
  // batches that do not matter: S = a minimises (a/100 - 1)^2 + (a/200 - 1)^2, a = 120
  const auto fit = fit_batches({{64, 100}, {128, 200}});
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->law.least_steps, 120, 1e-9);
  EXPECT_EQ(fit->law.critical_batch, 0);
  EXPECT_NEAR(fit->in_sample.mean, (0.2 + 0.4) / 2, 1e-12);
  EXPECT_NEAR(fit->in_sample.bias, (0.2 - 0.4) / 2, 1e-12);
}

TEST(FitBatches, TwoBatchesLeaveNothingToHoldOut) {
  const auto fit = fit_batches({{64, 500}, {512, 150}, {64, 500}});
  ASSERT_TRUE(fit.has_value());
  EXPECT_FALSE(fit->held_out.has_value());
  EXPECT_FALSE(fit->rows.front().held_out.has_value());
}

TEST(FitBatches, HeldOutErrorOfABatchDoesNotKnowIt) {
  auto points = exact(100, 256);
  points.push_back({4096, 3 * 100 * (1 + 256.0 / 4096)});
  const auto fit = fit_batches(points);
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(*fit->rows.back().held_out, points.back().steps / 3, 1e-6);
  EXPECT_GT(fit->held_out->mean, fit->in_sample.mean);
}

TEST(FitBatches, OneBatchAndStepsWithoutABoundAreRefused) {
  EXPECT_EQ(fit_batches({{64, 100}, {64, 120}}).error().text(),
            "all trainings have the same batch; give trainings at two batches at least");
  EXPECT_EQ(fit_batches({{64, 1000}, {128, 480}}).error().text(),
            "the steps fall as 1 / B through all batches, so the minimum number of steps cannot be "
            "determined; add a training at a larger batch");
}

TEST(StepsAt, TwiceTheLeastStepsAtTheCriticalBatch) { EXPECT_DOUBLE_EQ(steps_at({100, 256}, 256), 200); }

}  // namespace
}  // namespace calibrate::fits
