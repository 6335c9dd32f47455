// Progress: trainings that follow the model coincide for every batch.
#include <cmath>

#include <gtest/gtest.h>

#include "calibrate/fits/statistical.hpp"

namespace calibrate::fits {
namespace {

/// A training that follows S(B) with this noise scale by progress, evaluated at every twentieth of the way.
TrainingRun training(const BatchLimits& law, double batch, double (*noise)(double), double mean_noise) {
  TrainingRun run;
  run.batch = batch;
  double progress = 0;
  double next = 0.05;
  for (double step = 1; progress < 1.2; ++step) {
    progress += 1 / (law.least_steps * (1 + law.critical_batch * noise(progress) / mean_noise / batch));
    if (progress < next) continue;
    next += 0.05;
    run.rows.push_back({step, 0.8 * progress, noise(progress), 4 / noise(progress), 1 - 0.5 * progress, {}});
  }
  return run;
}

double flat(double) { return 300; }
double growing(double progress) { return 100 + 400 * progress; }

double at(const ProgressCurve& curve, double progress) {
  for (const ProgressPoint& point : curve) {
    if (std::abs(point.progress - progress) < 0.02) return point.value;
  }
  return NAN;
}

TEST(FitProgress, AccuracyFollowsProgressUnderAFlatNoiseScale) {
  const BatchLimits law{1000, 300};
  const std::vector<TrainingRun> runs{training(law, 100, flat, 300), training(law, 1600, flat, 300)};
  const ProgressFit fit = fit_progress(runs, law);
  EXPECT_NEAR(at(fit.accuracy, 0.5), 0.4, 0.02);
  EXPECT_NEAR(at(fit.accuracy, 1), 0.8, 0.02);
  EXPECT_LT(fit.accuracy_error, 1e-3);
  EXPECT_NEAR(*fit.mean_noise_scale, 300, 1e-6);
  EXPECT_NEAR(at(fit.squared_norm, 0.5), 4.0 / 300, 1e-9);
  EXPECT_NEAR(at(fit.loss, 0.5), 0.75, 0.01);
  EXPECT_TRUE(fit.test_loss.empty());
}

TEST(FitProgress, FindsTheGrowthOfTheNoiseScaleThatLaysTheRunsOverEachOther) {
  const BatchLimits law{1000, 900};
  const std::vector<TrainingRun> runs{training(law, 100, growing, 300), training(law, 1600, growing, 300)};
  const ProgressFit fit = fit_progress(runs, law);
  EXPECT_NEAR(*fit.mean_noise_scale, 300, 5);
  EXPECT_NEAR(at(fit.noise_scale, 0.5), 300, 12);
  EXPECT_NEAR(at(fit.accuracy, 0.5), 0.4, 0.03);
  EXPECT_LT(fit.accuracy_error, 0.01);
}

TEST(FitProgress, WithoutNoiseScaleProgressIsEven) {
  TrainingRun run;
  run.batch = 100;
  for (const double step : {100.0, 200.0, 400.0}) run.rows.push_back({step, step / 1000, {}, {}, {}, {}});
  const ProgressFit fit = fit_progress(std::vector{run}, {100, 300});
  ASSERT_EQ(fit.accuracy.size(), 3U);
  EXPECT_NEAR(fit.accuracy[0].progress, 0.25, 1e-12);
  EXPECT_NEAR(fit.accuracy[2].progress, 1, 1e-12);
  EXPECT_EQ(fit.accuracy[1].value, 0.2);
  EXPECT_TRUE(fit.noise_scale.empty());
  EXPECT_FALSE(fit.mean_noise_scale.has_value());
}

TEST(FitProgress, AccuracyNeverFalls) {
  TrainingRun run;
  run.batch = 100;
  double step = 0;
  for (const double metric : {0.2, 0.5, 0.4, 0.9}) run.rows.push_back({step += 100, metric, {}, {}, {}, {}});
  const ProgressFit fit = fit_progress(std::vector{run}, {100, 300});
  // the level 0.45 of the second and third evaluation is in their middle
  ASSERT_EQ(fit.accuracy.size(), 3U);
  EXPECT_NEAR(fit.accuracy[1].progress, 0.625, 1e-12);
  EXPECT_NEAR(fit.accuracy[1].value, 0.45, 1e-12);
  EXPECT_NEAR(fit.accuracy_error, 0.1 / 4, 1e-12);
}

TEST(FitProgress, EvaluationsAtTheSameProgressHaveNoOrder) {
  TrainingRun high;
  high.batch = 100;
  high.rows = {{100, 0.6, {}, {}, {}, {}}, {200, 0.9, {}, {}, {}, {}}};
  TrainingRun low = high;
  low.rows[0].metric = 0.2;
  for (const auto& runs : {std::vector{high, low}, std::vector{low, high}}) {
    const ProgressFit fit = fit_progress(runs, {100, 300});
    ASSERT_EQ(fit.accuracy.size(), 2U);
    EXPECT_NEAR(fit.accuracy[0].value, 0.4, 1e-12);
    EXPECT_EQ(fit.accuracy[1].value, 0.9);
    EXPECT_NEAR(fit.accuracy_error, 0.4 / 4, 1e-12);
  }
}

TEST(FitProgress, CurvesEndAHundredTimesBeyondTheTarget) {
  TrainingRun run;
  run.batch = 100;
  run.rows = {{1, 0.1, 300, {}, {}, {}}, {1e12, 0.9, 300, {}, {}, {}}};
  const ProgressFit fit = fit_progress(std::vector{run}, {100, 300});
  EXPECT_LE(fit.noise_scale.size(), 4000U);
  EXPECT_LT(fit.noise_scale.back().progress, 100);
}

}  // namespace
}  // namespace calibrate::fits
