// What a law says of steps, by hand.
#include "learning/learners/convergence_model.hpp"

#include <gtest/gtest.h>

namespace learning::learners {
namespace {

TEST(ConvergenceModel, StepsToTheTargetAreLeastStepsTimesOnePlusCriticalOverBatch) {
  ConvergenceModel law;
  law.least_steps = 100;
  law.critical_batch = 300;
  double progress = 0;
  for (int step = 0; step < 400; ++step) progress += progress_of_step(law, progress, 100, 1);
  EXPECT_NEAR(progress, 1, 1e-12);
}

TEST(ConvergenceModel, SlowdownMultipliesSteps) {
  ConvergenceModel law;
  law.least_steps = 10;
  EXPECT_DOUBLE_EQ(progress_of_step(law, 0, 1, 1), 0.1);
  EXPECT_DOUBLE_EQ(progress_of_step(law, 0, 1, 2.5), 0.04);
}

TEST(ConvergenceModel, GrowthHasTheMeanOneOnTheWayToTheTarget) {
  ConvergenceModel law;
  EXPECT_EQ(growth(law, 0.3), 1);
  law.noise_scale = {{0, 0}, {1, 1000}, {2, 3000}};
  EXPECT_DOUBLE_EQ(growth(law, 0.5), 1);
  EXPECT_DOUBLE_EQ(growth(law, 1), 2);
  EXPECT_DOUBLE_EQ(growth(law, 1.5), 4);
}

TEST(ConvergenceModel, NoiseGrowthChangesTheWayButNotItsLength) {
  ConvergenceModel law;
  law.least_steps = 10'000;
  law.critical_batch = 300;
  law.noise_scale = {{0, 10}, {1, 990}};
  double progress = 0;
  double half = 0;
  for (int step = 0; step < 40'000; ++step) {
    progress += progress_of_step(law, progress, 100, 1);
    if (step == 20'000) half = progress;
  }
  EXPECT_NEAR(progress, 1, 1e-3);
  EXPECT_GT(half, 0.6);
}

TEST(ConvergenceModel, NoiseScaleIsCriticalBatchWhereNotMeasured) {
  ConvergenceModel law;
  law.critical_batch = 300;
  EXPECT_EQ(noise_scale(law, 0.5), 300);
  law.noise_scale = {{0, 10}, {1, 30}};
  EXPECT_DOUBLE_EQ(noise_scale(law, 0.5), 20);
}

TEST(ConvergenceModel, TablesAreFoundByMethodAndErrorFeedback) {
  const std::vector<MethodCurve> curves{{"topk", true, {{0.1, 1}}}, {"topk", false, {{0.1, 2}}}};
  EXPECT_EQ(find_curve(curves, {"topk", 0.1, false, false}), &curves[1].by_ratio);
  EXPECT_EQ(find_curve(curves, {"topk", 0.1, true, true}), nullptr);
}

}  // namespace
}  // namespace learning::learners
