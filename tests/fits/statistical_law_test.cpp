// The file of a model and its description: figures read back, places rise, provenance and errors are named.
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/fits/statistical.hpp"
#include "tests/fits/even_runs.hpp"

namespace calibrate::fits {
namespace {

using testing::HasSubstr;

/// The rows of a printed model by quantity and method, each with its place and its value.
std::map<std::string, std::vector<std::pair<double, double>>> rows_of(const std::string& law) {
  std::map<std::string, std::vector<std::pair<double, double>>> rows;
  std::istringstream lines(law.substr(law.find("quantity,method,at,value\n") + 25));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t value = line.rfind(',');
    const std::size_t at = line.rfind(',', value - 1);
    const std::string place = line.substr(at + 1, value - at - 1);
    rows[line.substr(0, at)].emplace_back(place.empty() ? 0 : std::stod(place),
                                          std::stod(line.substr(value + 1)));
  }
  return rows;
}

TEST(PrintLaw, FiguresReadBackAsTheyAreAndPlacesRise) {
  auto fit = fit_statistical(even_runs(), 0.9, StepsTo::smoothed);
  ASSERT_TRUE(fit.has_value());
  fit->progress.accuracy = {{0.5, 0.1}, {0.5000000001, 0.2}, {0.5000000002, 0.2000000001}, {1, 1.0 / 3}};
  fit->gains = {{"topk", true, 0.01, 0.1, 1}, {"topk", true, 0.0100000001, 0.2, 1}};
  fit->batches.rows.back().measured.batch = 12345678;
  auto rows = rows_of(print_law(*fit, {"mlp", "digits", 1000, "by hand", "CC0"}, "0.1"));
  for (const auto& [name, curve] : rows) {
    for (std::size_t i = 1; i < curve.size(); ++i) EXPECT_GT(curve[i].first, curve[i - 1].first) << name;
  }
  ASSERT_EQ(rows["accuracy,"].size(), 4U);
  EXPECT_EQ(rows["accuracy,"][3].second, 1.0 / 3);
  EXPECT_EQ(rows["gain,topk"][1].first, 0.0100000001);
  EXPECT_EQ(rows["largest_batch,"][0].second, 12345678);
  EXPECT_EQ(rows["least_steps,"][0].second, fit->batches.law.least_steps);
}

TEST(PrintLaw, HoldsProvenanceErrorsAndFigures) {
  std::vector<TrainingRun> runs = even_runs();
  for (TrainingRun& run : runs) {
    for (TrainingRow& row : run.rows) row.noise_scale = 100;
  }
  runs[0].gains = {{"topk", 0.1, false, 0.9}};
  const auto fit = fit_statistical(runs, 0.9, StepsTo::smoothed);
  ASSERT_TRUE(fit.has_value());
  const std::string text = print_law(*fit, {"mlp", "digits", 1000, "by hand", "CC0"}, "0.1");
  EXPECT_TRUE(text.starts_with(
      "# Steps to 0.9 accuracy over the batch, and what goes with progress, fitted to whole trainings.\n"
      "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# source: by hand\n# licence: CC0\n"
      "# fitted_by: calibrate fit statistical of gradsim 0.1\n# batches: 50 100 400\n# steps_to: smoothed\n"
      "# error_of_steps: mean 0.0 %, worst 0.0 %\n"
      "# held_out_error_of_steps: mean 0.0 %, worst 0.0 %, one batch at a time\n"))
      << text;
  EXPECT_THAT(
      text,
      HasSubstr("# measured_noise_scale: 100 samples, mean over the way to the target; B_crit is 2 times"));
  EXPECT_THAT(text, HasSubstr("quantity,method,at,value\ntarget_accuracy,,,0.9\nleast_steps,,,"));
  EXPECT_THAT(text, HasSubstr("\nsmallest_batch,,,50\nlargest_batch,,,400\naccuracy,,"));
  EXPECT_THAT(text, HasSubstr("\nnoise_scale,,1,100"));
  EXPECT_TRUE(text.ends_with("gain_raw,topk,0.1,0.9\n"));
}

TEST(DescribeFit, ShowsEachBatchWithItsErrors) {
  auto runs = even_runs();
  runs[2] = even_run(400, 300);
  const auto fit = fit_statistical(runs, 0.9, StepsTo::first);
  ASSERT_TRUE(fit.has_value());
  const std::string text = describe_fit(*fit);
  EXPECT_THAT(text, HasSubstr("   batch   measured     fitted    error held out\n      50        500"));
  EXPECT_THAT(text, HasSubstr("noise scale: not measured\n"));
  EXPECT_THAT(text, HasSubstr("; one batch held out: mean "));
}

}  // namespace
}  // namespace calibrate::fits
