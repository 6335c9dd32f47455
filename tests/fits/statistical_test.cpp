// Models of whole trainings: small ones by hand, and AdaptDL's real ones where available.
#include "calibrate/fits/statistical.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "calibrate/imports/adaptdl.hpp"
#include "tests/data_folder.hpp"
#include "tests/fits/even_runs.hpp"

namespace calibrate::fits {
namespace {

namespace fs = std::filesystem;

const fs::path adaptdl = tests::data_path("adaptdl");

TEST(FitStatistical, FindsTheLawOfEvenTrainings) {
  const auto fit = fit_statistical(even_runs(), 0.9, StepsTo::smoothed);
  ASSERT_TRUE(fit.has_value()) << fit.error().text();
  EXPECT_NEAR(fit->batches.law.least_steps, 100, 1e-6);
  EXPECT_NEAR(fit->batches.law.critical_batch, 200, 1e-6);
  EXPECT_NEAR(fit->progress.accuracy.back().progress, 20.0 / 18, 1e-6);
}

TEST(FitStatistical, SlowdownIsStepsOverStepsWithoutCompressionAtTheSameBatch) {
  std::vector<TrainingRun> runs = even_runs();
  runs[1] = even_run(100, 360);  // off the model
  for (const auto& [batch, steps] : {std::pair{100.0, 720.0}, std::pair{800.0, 250.0}}) {
    runs.push_back(even_run(batch, steps));
    runs.back().method = "topk";
    runs.back().ratio = batch == 100 ? 0.01 : 0.1;
  }
  runs.back().error_feedback = false;
  const auto fit = fit_statistical(runs, 0.9, StepsTo::smoothed);
  ASSERT_TRUE(fit.has_value()) << fit.error().text();
  ASSERT_EQ(fit->slowdowns.size(), 2U);
  EXPECT_TRUE(fit->slowdowns[0].error_feedback);
  EXPECT_NEAR(fit->slowdowns[0].value, 2, 1e-9);
  EXPECT_NEAR(fit->slowdowns[1].value, 250 / steps_at(fit->batches.law, 800), 1e-9);
}

TEST(FitStatistical, GainsAreMeansOverTheTrainings) {
  std::vector<TrainingRun> runs = even_runs();
  runs[0].gains = {{"topk", 0.1, true, 0.5}, {"topk", 0.1, false, 0.9}};
  runs[1].gains = {{"topk", 0.1, true, 0.7}, {"topk", 0.01, true, 0.1}};
  const auto fit = fit_statistical(runs, 0.9, StepsTo::smoothed);
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->gains,
            (std::vector<MethodPoint>{
                {"topk", true, 0.01, 0.1, 1}, {"topk", true, 0.1, 0.6, 2}, {"topk", false, 0.1, 0.9, 1}}));
}

TEST(FitStatistical, TrainingThatMissesTheTargetIsRefused) {
  std::vector<TrainingRun> runs = even_runs();
  runs[2].rows.resize(10);
  EXPECT_EQ(fit_statistical(runs, 0.9, StepsTo::first).error().text(),
            "even.csv: the target of 0.9 was not reached; the best evaluation is 0.5; lower --target, or "
            "leave this "
            "training out");
  EXPECT_EQ(fit_statistical(std::vector{even_run(50, 500)}, 0.9, StepsTo::first).error().text(),
            "all trainings have the same batch; give trainings at two batches at least");
  for (TrainingRun& run : runs) run.method = "topk", run.ratio = 0.1;
  EXPECT_EQ(fit_statistical(runs, 0.9, StepsTo::first).error().text(),
            "every training is compressed; add trainings without compression at two batches");
}

TEST(FitStatistical, TargetReachedBeforeTheFirstStepIsRefused) {
  std::vector<TrainingRun> runs = even_runs();
  runs[1].rows.front() = {0, 0.95, {}, {}, {}, {}};
  EXPECT_EQ(fit_statistical(runs, 0.9, StepsTo::first).error().text(),
            "even.csv: the target of 0.9 was reached before the first step; raise --target, or leave this "
            "training out");
}

/// The trainings of one AdaptDL folder.
struct Reference {
  std::string folder;
  double target;
  double unit;
  StepsTo steps_to;
  double least_steps;
  double critical_batch;
  double mean_error;  ///< as measured when the test was written, in %, rounded up
  double held_out;
};

class RealTrainings : public testing::TestWithParam<Reference> {};

TEST_P(RealTrainings, KeepTheirLawAndItsErrors) {
  const Reference& reference = GetParam();
  const fs::path folder = adaptdl / reference.folder;
  std::vector<imports::AdaptdlRun> measured;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.path().filename().string().starts_with("validation-")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto run = imports::import_adaptdl(text.str(), entry.path().string());
    ASSERT_TRUE(run.has_value()) << run.error().text();
    measured.push_back(*run);
  }
  std::vector<TrainingRun> runs;
  for (const imports::AdaptdlRun& run : measured)
    runs.push_back(*imports::training_of(run, imports::initial_batch(measured), reference.unit));
  const auto fit = fit_statistical(runs, reference.target, reference.steps_to);
  ASSERT_TRUE(fit.has_value()) << fit.error().text();
  EXPECT_NEAR(fit->batches.law.least_steps / reference.least_steps, 1, 0.005);
  EXPECT_NEAR(fit->batches.law.critical_batch / reference.critical_batch, 1, 0.005);
  EXPECT_LT(100 * fit->batches.in_sample.mean, reference.mean_error);
  EXPECT_LT(100 * fit->batches.held_out->mean, reference.held_out);
  EXPECT_TRUE(fit->progress.mean_noise_scale.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Adaptdl, RealTrainings,
    testing::Values(Reference{"cifar10", 0.9, 1, StepsTo::first, 887, 1565, 10.4, 16.5},
                    Reference{"cifar10", 0.9, 1, StepsTo::smoothed, 998.1, 1603, 4.5, 7.5},
                    Reference{"cifar10", 0.94, 1, StepsTo::smoothed, 959.5, 3601, 1.5, 2.2},
                    Reference{"imagenet", 0.7, 1, StepsTo::first, 3718, 13220, 9.1, 12},
                    Reference{"imagenet", 0.7, 1, StepsTo::smoothed, 2023, 40210, 7.4, 15.5},
                    Reference{"imagenet", 0.74, 1, StepsTo::smoothed, 5421, 14435, 1.1, 1.8},
                    Reference{"bert", 0.88, 0.01, StepsTo::first, 17.55, 10140, 0.4, 0.5},
                    Reference{"bert", 0.88, 0.01, StepsTo::smoothed, 90.26, 1675, 3.3, 5.4}),
    [](const auto& row) {
      return row.param.folder + std::to_string(static_cast<int>(100 * row.param.target + 0.5)) +
             std::string(to_string(row.param.steps_to));
    });

}  // namespace
}  // namespace calibrate::fits
