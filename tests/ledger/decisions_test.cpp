// Decisions: winners, regret and rank correlation by hand; which figures compete; every error.
#include "calibrate/ledger/decisions.hpp"

#include <gtest/gtest.h>

namespace calibrate::ledger {
namespace {

Prediction figure(const std::string& arm, double measured, double predicted,
                  const std::string& metric = "step_time") {
  return {"t", arm + " " + metric, "s", std::nullopt, measured, predicted, false, arm};
}

/// At 10 Gbit/s the predicted winner (b) takes 6 s where a takes 5; at 1 Gbit/s it is right.
std::vector<Prediction> two_networks() {
  return {figure("net/10g/a", 5, 7), figure("net-10g-b", 6, 4), figure("net/10g/c", 9, 9),
          figure("net:1g:a", 20, 30), figure("net/1g/b", 10, 15)};
}

std::string error_of(const std::vector<Prediction>& predictions, const std::vector<std::string>& columns) {
  const auto decisions = score_decisions(predictions, columns);
  return decisions ? "scored" : decisions.error().text();
}

TEST(Decisions, WinnersRegretAndCorrelationAreAsByHand) {
  const auto decisions = score_decisions(two_networks(), std::vector<std::string>{"table", "arm1", "arm2"});
  ASSERT_TRUE(decisions) << decisions.error().text();
  EXPECT_EQ(decisions->groups, 2);
  EXPECT_EQ(decisions->right, 1);
  EXPECT_DOUBLE_EQ(decisions->right_share(), 0.5);
  EXPECT_NEAR(decisions->regret, 0.1, 1e-12) << "the mean of 6 / 5 - 1 and 0";
  EXPECT_NEAR(decisions->worst_regret, 0.2, 1e-12);
  EXPECT_NEAR(*decisions->rank_correlation, 0.75, 1e-12) << "1 - 6 * 2 / (3 * 8) = 0.5, and 1";
}

TEST(Decisions, ColumnsDefineWhatCompetes) {
  EXPECT_EQ(score_decisions(two_networks(), std::vector<std::string>{"arm1"})->groups, 1);
  EXPECT_EQ(score_decisions(two_networks(), std::vector<std::string>{"arm3"})->groups, 2)
      << "c competes with none and is left out";
  auto predictions = two_networks();
  predictions.push_back(figure("net/1g/b", 1, 2, "wait_time"));
  EXPECT_EQ(score_decisions(predictions, std::vector<std::string>{"arm2", "metric"})->groups, 2);
}

TEST(Decisions, OfEqualPredictionsTheWorstMeasuredOneCountsAsChosen) {
  const std::vector<Prediction> predictions{figure("a", 5, 4), figure("b", 6, 4)};
  const auto decisions = score_decisions(predictions, std::vector<std::string>{"table"});
  EXPECT_EQ(decisions->right, 0);
  EXPECT_NEAR(decisions->regret, 0.2, 1e-12);
  EXPECT_FALSE(decisions->rank_correlation) << "equal predictions have no order";
}

TEST(Decisions, OfEqualMeasurementsEitherIsRight) {
  const std::vector<Prediction> predictions{figure("a", 5, 4), figure("b", 5, 3)};
  EXPECT_EQ(score_decisions(predictions, std::vector<std::string>{"table"})->right, 1);
}

TEST(Decisions, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(
      error_of(two_networks(), {"table", "figure"}),
      "unknown column `figure` of figures; accepted: table, metric, and arm1 to arm9 for parts of the arm's "
      "name");
  EXPECT_EQ(error_of(two_networks(), {"arm0"}).substr(0, 32), "unknown column `arm0` of figures");
  EXPECT_EQ(
      error_of(two_networks(), {"arm4"}),
      "`net/10g/a step_time` has no arm with a part 4; parts of an arm's name lie between `/`, `:` or `-`");
  Prediction without = two_networks().front();
  without.arm.clear();
  EXPECT_EQ(
      error_of({without}, {"arm1"}),
      "`net/10g/a step_time` has no arm with a part 1; parts of an arm's name lie between `/`, `:` or `-`");
  EXPECT_EQ(error_of(two_networks(), {"arm2", "arm3"}),
            "no two figures compete; name fewer columns under `choices`");
}

TEST(RankCorrelation, IsThatOfTextbooks) {
  const std::vector<double> a{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> b{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  EXPECT_NEAR(*rank_correlation(a, b), -29.0 / 165, 1e-12) << "1 - 6 * 194 / (10 * 99)";
  EXPECT_DOUBLE_EQ(*rank_correlation(std::vector{1.0, 2.0, 2.0}, std::vector{1.0, 3.0, 3.0}), 1);
  EXPECT_FALSE(rank_correlation(std::vector{1.0}, std::vector{1.0}));
  EXPECT_FALSE(rank_correlation(std::vector{1.0, 1.0}, std::vector{1.0, 2.0}));
}

}  // namespace
}  // namespace calibrate::ledger
