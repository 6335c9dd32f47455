// Fitted convergence models, read from their tables and from files.
#include "learning/learners/convergence_model.hpp"

#include <gtest/gtest.h>

#include "learning/learners/record_file.hpp"
#include "tests/source_tree.hpp"

namespace learning::learners {

// The figures of steps by a model, by hand.

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
  const std::vector<MethodCurve> curves{
      {"topk", true, {{0.1, 1}}}, {"topk", false, {{0.1, 2}}}, {"ar_topk", true, {{0.1, 3}}}};
  EXPECT_EQ(find_curve(curves, {"topk", 0.1, false, false}), &curves[1].by_ratio);
  EXPECT_EQ(find_curve(curves, {"ar_topk", 0.1, true, false}), &curves[2].by_ratio);
  EXPECT_EQ(find_curve(curves, {"ar_topk", 0.1, true, true}), nullptr);  // whose name ends in `_by_variance`
  EXPECT_EQ(find_curve(curves, {"topk", 0.1, true, true}), &curves[0].by_ratio);  // chooses no worker
}

}  // namespace

// Files of convergence models: their contents, the shipped ones, and each error with its place.

namespace {

const std::string law_facts =
    "# model: mlp\n# data_set: digits\n# data_set_samples: 1000\n# source: by hand\n# licence: CC0\n";
const std::string header = "quantity,method,at,value\n";
const std::string figures =
    "target_accuracy,,,0.9\nleast_steps,,,100\ncritical_batch,,,300\nsmallest_batch,,,16\nlargest_batch,,,"
    "256\n"
    "accuracy,,0,0.1\naccuracy,,1,0.9\n";

std::string law_error(const std::string& text) {
  const auto law = parse_law(text, "l.csv");
  EXPECT_FALSE(law.has_value()) << text;
  return law ? "" : law.error().text();
}

/// The error of one more row, which is line 14 of the file.
std::string refused_row(const std::string& row) {
  return law_error(law_facts + header + figures + row + "\n");
}

TEST(ParametricLawFile, RowsBecomeFiguresAndCurves) {
  const auto law = parse_law(law_facts + header + figures +
                                 "noise_scale,,0,10\nsquared_norm,,0.5,2\nloss,,0.5,1.5\ntest_loss,,1,0.5\n"
                                 "gain,topk,0.01,0.1\ngain,topk,0.1,0.6\ngain_raw,topk,0.1,0.8\n"
                                 "slowdown,topk,0.01,1.5\n",
                             "l.csv");
  ASSERT_TRUE(law.has_value()) << law.error().text();
  EXPECT_EQ(law->model, "mlp");
  EXPECT_EQ(law->data_set_samples, 1000);
  EXPECT_EQ(law->facts.size(), 5U);
  EXPECT_EQ(law->target_accuracy, 0.9);
  EXPECT_EQ(law->least_steps, 100);
  EXPECT_EQ(law->critical_batch, 300);
  EXPECT_EQ(law->smallest_batch, 16);
  EXPECT_EQ(law->largest_batch, 256);
  EXPECT_EQ(law->accuracy, (Curve{{0, 0.1}, {1, 0.9}}));
  EXPECT_EQ(law->noise_scale, (Curve{{0, 10}}));
  EXPECT_EQ(law->gains, (std::vector<MethodCurve>{{"topk", true, {{0.01, 0.1}, {0.1, 0.6}}},
                                                  {"topk", false, {{0.1, 0.8}}}}));
  EXPECT_EQ(law->slowdowns, (std::vector<MethodCurve>{{"topk", true, {{0.01, 1.5}}}}));
}

TEST(ParametricLawFile, ShippedLawsAreRead) {
  const std::filesystem::path folder = std::filesystem::path(tests::source_dir()) / "scenarios/learners";
  int laws = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;  // a task of a live learner
    if (read_record(entry.path())) continue;           // gains to be replayed
    const auto law = read_law(entry.path());
    ASSERT_TRUE(law.has_value()) << law.error().text();
    EXPECT_GE(law->accuracy.back().at, 1) << entry.path();
    ++laws;
  }
  EXPECT_EQ(laws, 3);
}

TEST(ParametricLawFile, MissingFactsAndHeadersAreRefused) {
  EXPECT_EQ(law_error(""),
            "l.csv: the file has no table; start it with facts, then the header quantity,method,at,value");
  EXPECT_EQ(law_error("quantity,value\n"),
            "l.csv:1: this is not the header of a fitted model; the header is quantity,method,at,value");
  EXPECT_EQ(law_error(header),
            "l.csv: the fact `source` is missing; add a line `# source: ...` above the table");
  EXPECT_EQ(read_law("no/such.csv").error().text(), "no/such.csv: file not found; check the path");
}

TEST(ParametricLawFile, MissingQuantitiesAreRefused) {
  EXPECT_EQ(law_error(law_facts + header + "target_accuracy,,,0.9\n"),
            "l.csv: the quantity `least_steps` is missing; add a row `least_steps,,,VALUE`");
  EXPECT_EQ(law_error(law_facts + header + figures.substr(0, figures.find("accuracy,,0"))),
            "l.csv: the quantity `accuracy` is missing; add rows `accuracy,,PROGRESS,VALUE`");
}

TEST(ParametricLawFile, WrongRowsAreRefusedWithTheirPlace) {
  EXPECT_EQ(refused_row("gains,topk,0.1,1").substr(0, 62),
            "l.csv:14:1: unknown quantity `gains`; did you mean `gain`? acc");
  EXPECT_EQ(refused_row("accuracy,2"), "l.csv:14: the row has 2 cells; a row is quantity,method,at,value");
  EXPECT_EQ(refused_row("least_steps,,,5"), "l.csv:14:1: duplicate `least_steps`; leave one of them out");
  EXPECT_EQ(refused_row("least_steps,topk,,5"),
            "l.csv:14:13: `least_steps` has no `method`; leave the cell empty");
  EXPECT_EQ(refused_row("accuracy,,1,0.95"),
            "l.csv:14:11: `at` of `accuracy` does not increase; write its rows in increasing order, each "
            "position once");
  EXPECT_EQ(refused_row("accuracy,,2,0.8"),
            "l.csv:14:13: the accuracy falls; write what a monotone fit gives");
  EXPECT_EQ(refused_row("accuracy,,2,1.1"),
            "l.csv:14:13: `value` is `1.1`; accepted: a number of at least 0 and at most 1");
  EXPECT_EQ(refused_row("accuracy,,,1"), "l.csv:14:11: `at` of `accuracy` is empty; write a number");
  EXPECT_EQ(refused_row("gain,,0.1,1"), "l.csv:14:6: `gain` does not name a method; such as `topk`");
  EXPECT_EQ(
      refused_row("gain,topk,1,1"),
      "l.csv:14:11: `at` of `gain` is 1; accepted: a ratio above 0 and below 1, where it is 1 by itself");
  EXPECT_EQ(refused_row("slowdown,topk,0.1,0"), "l.csv:14:19: `value` is `0`; accepted: a number above 0");
}

TEST(ParametricLawFile, LawsWithoutSenseAreRefused) {
  EXPECT_EQ(refused_row("noise_scale,,0,0"),
            "l.csv: `noise_scale` is 0 all the way to the target; leave its rows out");
  std::string turned = figures;
  turned.replace(turned.find("256"), 3, "8");
  EXPECT_EQ(law_error(law_facts + header + turned),
            "l.csv: `smallest_batch` is above `largest_batch`; change the two");
}

TEST(ParametricLawFile, OnlyMethodsThatChangeValuesHaveFiguresAtRatioOne) {
  const auto law = parse_law(law_facts + header + figures + "slowdown,signsgd,1,1.5\n", "l.csv");
  ASSERT_TRUE(law.has_value()) << law.error().text();
  EXPECT_EQ(law->slowdowns, (std::vector<MethodCurve>{{"signsgd", true, {{1, 1.5}}}}));
  EXPECT_EQ(refused_row("slowdown,ar_topk_by_variance,1,1.5"),
            "l.csv:14:30: `at` of `slowdown` is 1; accepted: a ratio above 0 and below 1, where it is 1 by "
            "itself");
  EXPECT_EQ(refused_row("slowdown,signsgd,1.5,1.5"),
            "l.csv:14:18: `at` of `slowdown` is 1.5; accepted: a ratio above 0, at most 1");
}

}  // namespace
}  // namespace learning::learners
