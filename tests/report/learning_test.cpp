// Accuracy over simulated time: the grid, the cells, and the sentences on targets.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/study_document.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Table;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A test of the model at a time, after ten steps a second, 1 MB each.
engine::Evaluated tested_at(double time, double accuracy) {
  return {static_cast<std::int64_t>(10 * time), 0, {time}, netmodels::Bytes{1e7 * time}, {}, accuracy};
}

/// An arm that was tested; the target, where there is one, is reached by the first test that has it.
SimulatedArm& add(TestStudy& test, const std::string& name, const std::vector<engine::Evaluated>& curve,
                  std::optional<double> target = {}) {
  SimulatedArm& arm = test.add(name, "none", {phase("all", {})});
  test.scenario().learner.target = target;
  engine::LearningResult learning;
  learning.curve = curve;
  for (const engine::Evaluated& found : curve) {
    learning.best_accuracy = std::max(found.accuracy, learning.best_accuracy.value_or(0));
    learning.last_accuracy = found.accuracy;
    if (target && !learning.target && found.accuracy >= *target) learning.target = found;
  }
  arm.result.learning = learning;
  return arm;
}

std::vector<double> times(const Table& table) {
  std::vector<double> found;
  for (const auto& row : table.rows) found.push_back(std::get<double>(row.front()));
  return found;
}

TEST(AccuracyOverTime, IsEmptyWhereNobodyWasTested) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  add(test, "untested", {});
  EXPECT_THAT(accuracy_over_time(test.played).rows, IsEmpty());
  EXPECT_EQ(learning_text(test.played), "");
  EXPECT_THAT(learning_verdicts(test.played), IsEmpty());
}

TEST(AccuracyOverTime, HasAColumnForEachArmThatWasTested) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  add(test, "learns", {tested_at(1, 0.5)});
  const Table table = accuracy_over_time(test.played);
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].key, "time_s");
  EXPECT_EQ(table.columns[1].key, "learns");
}

TEST(AccuracyOverTime, EveryCellIsTheLastTestUntilThen) {  // which stays when the arm is at its end
  TestStudy test;
  add(test, "short", {tested_at(0.75, 0.5), tested_at(2, 0.7)});
  add(test, "long", {tested_at(1.5, 0.4), tested_at(1.8, 0.6), tested_at(4.5, 0.9)});
  const Table table = accuracy_over_time(test.played);
  ASSERT_THAT(times(table), ElementsAre(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5));
  EXPECT_EQ(table.rows[0], (std::vector<Cell>{0.5, {}, {}}));
  EXPECT_EQ(table.rows[1], (std::vector<Cell>{1.0, 0.5, {}}));
  EXPECT_EQ(table.rows[2], (std::vector<Cell>{1.5, 0.5, 0.4}));
  EXPECT_EQ(table.rows[3], (std::vector<Cell>{2.0, 0.7, 0.6}));
  EXPECT_EQ(table.rows[8], (std::vector<Cell>{4.5, 0.7, 0.9}));
}

TEST(AccuracyOverTime, TimesDoubleWhereSomeArmsAreManyTimesAsFastAsOthers) {
  TestStudy test;
  add(test, "fast", {tested_at(0.1, 0.5), tested_at(0.4, 0.7)});
  add(test, "slow", {tested_at(10, 0.5), tested_at(90, 0.9)});
  const auto grid = times(accuracy_over_time(test.played));
  const std::vector<double> expected{0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
  ASSERT_EQ(grid.size(), expected.size());
  for (std::size_t i = 0; i < grid.size(); ++i) EXPECT_DOUBLE_EQ(grid[i], expected[i]);
}

TEST(AccuracyOverTime, HasAFewRowsWhateverTheTimesAre) {
  for (double end = 1e-6; end < 1e9; end *= 1.37) {
    for (const double share : {1.0, 0.5, 0.03, 1e-3}) {
      TestStudy test;
      add(test, "arm", {tested_at(end * share, 0.5), tested_at(end, 0.6)});
      const auto grid = times(accuracy_over_time(test.played));
      ASSERT_GE(grid.size(), 4U) << end << ' ' << share;
      ASSERT_LE(grid.size(), 15U) << end << ' ' << share;
      ASSERT_GE(grid.back(), end * (1 - 1e-9)) << end << ' ' << share;
    }
  }
}

TEST(AccuracyOverTime, ATestAtTheVeryBeginningIsKnownFromTheFirstRowOn) {
  TestStudy test;
  add(test, "arm", {tested_at(0, 0.1), tested_at(10, 0.6)});
  EXPECT_EQ(accuracy_over_time(test.played).rows.at(0).at(1), Cell(0.1));
}

TEST(LearningText, IsTheTableUnderItsTitle) {
  TestStudy test;
  add(test, "dense", {tested_at(1, 0.5), tested_at(2, 0.875)});
  EXPECT_THAT(learning_text(test.played),
              StartsWith("accuracy on the test set of the learner (none: times only), over the simulated\n"
                         "  time of small\ntime (ms)  dense (%)\n"));
  EXPECT_THAT(learning_text(test.played), HasSubstr("87.5\n"));
}

TEST(LearningText, TheTitleTellsWhoLearnsAndWhatIsSimulated) {
  TestStudy test;
  add(test, "a", {tested_at(1, 0.5)}).result.learner = "live: mlp_32";
  test.scenario().work.workload.name = "large";
  add(test, "b", {tested_at(1, 0.5)}).result.learner = "live: cnn";
  add(test, "untested", {}).result.learner = "none";
  test.scenario().work.workload.name = "another";
  EXPECT_THAT(learning_text(test.played),
              StartsWith("accuracy on the test set of the learner (several, listed below), over the\n"
                         "  simulated time of large, small\n"));
}

TEST(LearningText, LeavesTheTableOutWhereItWouldBeTooWide) {
  TestStudy test;
  for (int arm = 0; arm < 12; ++arm) add(test, "arm" + std::to_string(arm), {tested_at(1, 0.5)});
  EXPECT_NE(learning_text(test.played), "");
  add(test, "one more", {tested_at(1, 0.5)});
  EXPECT_EQ(learning_text(test.played), "");
}

TEST(LearningVerdicts, ArmsStandInTheOrderInWhichTheyReachTheTarget) {
  TestStudy test;
  add(test, "late", {tested_at(2, 0.5), tested_at(7, 0.95)}, 0.94);
  add(test, "early", {tested_at(2.5, 0.94), tested_at(5, 0.96)}, 0.94);
  add(test, "never", {tested_at(3, 0.9), tested_at(6, 0.8)}, 0.94);
  EXPECT_THAT(
      learning_verdicts(test.played),
      ElementsAre("94.00 % accuracy is reached by `early` after 2.5 s (25 steps and 25 MB sent by all "
                  "workers), `late` after 7 s (70 steps and 70 MB sent by all workers); never by "
                  "`never` (best 90.00 %).",
                  "Final accuracy, mean of the last five tests: `late` 95.00 %, `early` 96.00 %, `never` "
                  "80.00 %."));
}

TEST(LearningVerdicts, ATargetThatNobodyReachesIsSaidToBe) {
  TestStudy test;
  add(test, "a", {tested_at(1, 0.5)}, 0.9);
  add(test, "b", {tested_at(1, 0.6)}, 0.9);
  EXPECT_EQ(learning_verdicts(test.played).at(0),
            "90.00 % accuracy is never reached: `a` (best 50.00 %), `b` (best 60.00 %).");
}

TEST(LearningVerdicts, EveryTargetHasASentenceOfItsOwn) {
  TestStudy test;
  add(test, "a", {tested_at(1, 0.5)}, 0.5);
  add(test, "b", {tested_at(1, 0.6)}, 0.6);
  const auto sentences = learning_verdicts(test.played);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_THAT(sentences[0], StartsWith("50.00 % accuracy is reached by `a`"));
  EXPECT_THAT(sentences[1], StartsWith("60.00 % accuracy is reached by `b`"));
}

TEST(LearningVerdicts, BytesAreLeftOutWhereAPrintedFormHasNone) {
  TestStudy test;
  engine::Evaluated reached = tested_at(2, 0.95);
  reached.sent_by_all.reset();
  add(test, "printed", {reached}, 0.9);
  EXPECT_EQ(learning_verdicts(test.played).at(0),
            "90.00 % accuracy is reached by `printed` after 2 s (20 steps).");
}

TEST(LearningVerdicts, WithoutATargetOnlyTheEndIsTold) {
  TestStudy test;
  add(test, "dense", {tested_at(1, 0.5)});
  EXPECT_THAT(learning_verdicts(test.played),
              ElementsAre("Final accuracy, mean of the last five tests: `dense` 50.00 %."));
}

/// The arm's accuracy is not known from a time on.
void lose_sight(SimulatedArm& arm, double time) {
  arm.result.learning->unknown_since = netmodels::Seconds{time};
  arm.result.learning->last_accuracy.reset();
}

TEST(AccuracyOverTime, CellsAreEmptyOnceAccuracyIsNotKnown) {
  TestStudy test;
  add(test, "seen", {tested_at(1, 0.5), tested_at(4, 0.9)});
  lose_sight(add(test, "lost", {tested_at(1, 0.4), tested_at(2, 0.6)}), 3);
  const Table table = accuracy_over_time(test.played);
  ASSERT_THAT(times(table), ElementsAre(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4));
  EXPECT_EQ(table.rows[4], (std::vector<Cell>{2.5, 0.5, 0.6}));
  EXPECT_EQ(table.rows[5], (std::vector<Cell>{3.0, 0.5, {}}));
  EXPECT_EQ(table.rows[7], (std::vector<Cell>{4.0, 0.9, {}}));
}

TEST(LearningVerdicts, AnArmWhoseAccuracyIsNotKnownToTheEndIsNotSaidToFail) {
  TestStudy test;
  add(test, "seen", {tested_at(1, 0.5), tested_at(4, 0.9)}, 0.9);
  add(test, "never", {tested_at(1, 0.6)}, 0.9);
  lose_sight(add(test, "lost", {tested_at(1, 0.4), tested_at(2, 0.6)}, 0.9), 3);
  EXPECT_THAT(learning_verdicts(test.played),
              ElementsAre("90.00 % accuracy is reached by `seen` after 4 s (40 steps and 40 MB sent by all "
                          "workers); never by `never` (best 60.00 %); unknown for `lost` (best 60.00 %), "
                          "whose learner does not predict accuracy to the end.",
                          "Final accuracy, mean of the last five tests: `seen` 90.00 %, `never` 60.00 %, "
                          "`lost` not known."));
}

TEST(LearningVerdicts, ATargetThatWasReachedStaysReachedWhateverIsNotKnownLater) {
  TestStudy test;
  lose_sight(add(test, "lost", {tested_at(1, 0.95)}, 0.9), 3);
  EXPECT_THAT(learning_verdicts(test.played).at(0),
              StartsWith("90.00 % accuracy is reached by `lost` after 1 s"));
}

TEST(LearningVerdicts, ATargetOfWhichNothingIsKnownIsSaidToBe) {
  TestStudy test;
  lose_sight(add(test, "lost", {tested_at(1, 0.4)}, 0.9), 3);
  EXPECT_EQ(learning_verdicts(test.played).at(0),
            "90.00 % accuracy is unknown for `lost` (best 40.00 %), whose learner does not "
            "predict accuracy to the end.");
}

TEST(LearningVerdicts, NameWhoReachesALoss) {
  TestStudy test;
  scenario::Target target;
  target.loss = 1.8;
  const auto add_with = [&](const std::string& name, std::vector<double> losses) {
    std::vector<engine::Evaluated> curve;
    for (const double loss : losses) {
      curve.push_back(tested_at(static_cast<double>(curve.size() + 1), 0.25));
      curve.back().loss = loss;
    }
    engine::LearningResult& learned = *add(test, name, curve).result.learning;
    learned.best_loss = std::ranges::min(losses);
    if (losses.back() <= 1.8) learned.target = curve.back();
    test.scenario().learner.target = target;
  };
  add_with("quick", {2.5, 1.75});
  add_with("slow", {2.5, 1.925});
  const auto sentences = learning_verdicts(test.played);
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_EQ(sentences[0],
            "a loss of 1.8 is reached by `quick` after 2 s (20 steps and 20 MB sent by all workers); never "
            "by `slow` "
            "(best 1.925).");
  EXPECT_EQ(sentences[1], "Least loss of a test: `quick` 1.75, `slow` 1.925.");
}

}  // namespace
}  // namespace sim::report
