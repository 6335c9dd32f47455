// Unknowns found from figures that a formula makes.
#include "calibrate/fits/unknowns.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace calibrate::fits {
namespace {

/// One figure: 100 + 1000 / u_0.
netmodels::Result<std::vector<double>> inverse_model(std::span<const double> unknowns) {
  return std::vector{100 + 1000 / unknowns[0]};
}

/// One figure: u_0 + u_1, which tells nothing of either alone.
netmodels::Result<std::vector<double>> sum_model(std::span<const double> unknowns) {
  return std::vector{unknowns[0] + unknowns[1]};
}

/// Two figures: u_0, and u_0 again.
netmodels::Result<std::vector<double>> twice_model(std::span<const double> unknowns) {
  return std::vector{unknowns[0], unknowns[0]};
}

/// A figure that grows only beyond 10 times the expected unknown: max(100, 10 u_0).
netmodels::Result<std::vector<double>> hidden_model(std::span<const double> unknowns) {
  return std::vector{std::max(100.0, 10 * unknowns[0])};
}

TEST(UnknownsOfFigures, ExplainAFigureThatDependsOnThem) {  // 100 + 1000 / 4 = 350
  const std::vector<Unknown> unknowns{{.expected = 10, .factor = 10, .kept = 10}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{350, 0.01}}, inverse_model);
  ASSERT_TRUE(fit);
  ASSERT_TRUE(fit->unknowns[0].identified);
  EXPECT_NEAR(fit->unknowns[0].value, 4, 0.01);
  EXPECT_NEAR(fit->explained[0], 350, 0.5);
  EXPECT_EQ(fit->unknowns[0].shares, std::vector{1.0});
  EXPECT_FALSE(fit->contradicts());
}

TEST(UnknownsOfFigures, HaveTheErrorOfTheFigureOverItsSensitivity) {  // d ln 350 / d ln u = -250 / 350
  const std::vector<Unknown> unknowns{{.expected = 4, .factor = 1000, .kept = 4}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{350, 0.05}}, inverse_model);
  ASSERT_TRUE(fit);
  const FoundUnknown& found = fit->unknowns[0];
  EXPECT_NEAR(std::log(found.factor), 0.05 * 350 / 250, 1e-4);
  EXPECT_NEAR(found.low, found.value / found.factor, 1e-4);
  EXPECT_NEAR(found.high, found.value * found.factor, 1e-4);
}

TEST(UnknownsOfFigures, AreIdentifiedByNoFewerFigures) {  // each halves its range: ln(factor) x sqrt(1/2)
  const std::vector<Unknown> unknowns{{50, 10, 50}, {50, 10, 40}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{100, 0.01}}, sum_model);
  ASSERT_TRUE(fit);
  EXPECT_NE(fit->unknowns[0].identified, fit->unknowns[1].identified);
  EXPECT_NEAR(std::log(fit->unknowns[0].factor), std::log(10) * std::sqrt(0.5), 0.01);
  EXPECT_NEAR(fit->explained[0], 100, 0.1);
}

TEST(UnknownsOfFigures, NameTheUnknownThatExplainsTheFigureAsWell) {  // the first moves the sum much further
  const std::vector<Unknown> unknowns{{80, 10, 80}, {20, 5, 20}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{100, 0.01}}, sum_model);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->unknowns[0].identified);
  ASSERT_FALSE(fit->unknowns[1].identified);
  EXPECT_EQ(fit->unknowns[1].confused_with, 0U);
  EXPECT_EQ(fit->unknowns[1].value, 20);
}

/// The first is 96 where the second is 4. Where the second is 91.25, the first is 8.75: its prior, 8 to 800,
/// ends there.
TEST(UnknownsOfFigures, HaveARangeThatAllowsForOthersThatAreNotIdentified) {
  const std::vector<Unknown> unknowns{{80, 10, 80}, {20, 5, 20}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{100, 0.01}}, sum_model);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->unknowns[0].high, 96, 0.1);
  EXPECT_NEAR(fit->unknowns[0].low, 8.75, 0.1);
  EXPECT_DOUBLE_EQ(fit->unknowns[1].low, 4);
  EXPECT_DOUBLE_EQ(fit->unknowns[1].high, 91.25);
}

/// 100 + u_0, and 10 more for each unit of u_1 above 20: the second matters there only, far from the 2 that
/// it is expected to be.
TEST(UnknownsOfFigures, AreConfusedWhereAFigureDependsOnThemOnlyFarFromWhatIsExpected) {
  const std::vector<Unknown> unknowns{{100, 10, 100}, {2, 15, 2}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{250, 0.01}},
                                [](std::span<const double> u) -> netmodels::Result<std::vector<double>> {
                                  return std::vector{u[0] + 100 + std::max(0.0, 10 * (u[1] - 20))};
                                });
  ASSERT_TRUE(fit);
  ASSERT_TRUE(fit->unknowns[0].identified);
  ASSERT_FALSE(fit->unknowns[1].identified);
  EXPECT_EQ(fit->unknowns[1].confused_with, 0U);
  EXPECT_LT(fit->unknowns[0].low, 60);  // 250 - 100 - 100 where the second is 30
  EXPECT_LT(fit->unknowns[0].high, 155);
}

TEST(UnknownsOfFigures, AreNeverAboveTheMost) {  // 100 + 1000 / 5 = 300
  const std::vector<Unknown> unknowns{{.expected = 4, .factor = 10, .kept = 4, .most = 5}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{290, 0.05}}, inverse_model);
  ASSERT_TRUE(fit);
  ASSERT_TRUE(fit->unknowns[0].identified);
  EXPECT_LE(fit->unknowns[0].value, 5);
  EXPECT_DOUBLE_EQ(fit->unknowns[0].high, 5);
  EXPECT_NEAR(fit->explained[0], 300, 1);
}

TEST(UnknownsOfFigures, KeepTheirValueWhereNoFigureDependsOnThem) {
  const std::vector<Unknown> unknowns{{.expected = 10, .factor = 10, .kept = 10},
                                      {.expected = 3, .factor = 10, .kept = 0}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{350, 0.01}}, inverse_model);
  ASSERT_TRUE(fit);
  EXPECT_FALSE(fit->unknowns[1].identified);
  EXPECT_FALSE(fit->unknowns[1].confused_with);
  EXPECT_EQ(fit->unknowns[1].value, 0);
  EXPECT_EQ(fit->unknowns[1].shares, std::vector{0.0});
  EXPECT_NEAR(fit->unknowns[1].factor, 10, 1e-9);
}

TEST(UnknownsOfFigures, AreFoundWhereTheFigureDoesNotDependOnWhatIsExpected) {  // 10 x 20 = 200
  const std::vector<Unknown> unknowns{{.expected = 5, .factor = 10, .kept = 5}};
  const auto fit = fit_unknowns(unknowns, std::vector<MeasuredFigure>{{200, 0.01}}, hidden_model);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->unknowns[0].identified);
  EXPECT_NEAR(fit->unknowns[0].value, 20, 0.1);
}

TEST(UnknownsOfFigures, ContradictEachOtherBeyondTheirErrors) {
  const std::vector<Unknown> unknowns{{.expected = 100, .factor = 10, .kept = 100}};
  const auto close =
      fit_unknowns(unknowns, std::vector<MeasuredFigure>{{98, 0.05}, {102, 0.05}}, twice_model);
  const auto apart =
      fit_unknowns(unknowns, std::vector<MeasuredFigure>{{80, 0.05}, {125, 0.05}}, twice_model);
  ASSERT_TRUE(close && apart);
  EXPECT_FALSE(close->contradicts());
  EXPECT_TRUE(apart->contradicts());
  EXPECT_NEAR(apart->explained[0], 100, 0.1);
}

TEST(UnknownsOfFigures, PassOnAnErrorOfTheModel) {
  const auto fit = fit_unknowns(std::vector<Unknown>{{1, 2, 1}}, std::vector<MeasuredFigure>{{1, 0.05}},
                                [](std::span<const double>) -> netmodels::Result<std::vector<double>> {
                                  return netmodels::refuse("here", "no figure");
                                });
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().text(), "here: no figure");
}

}  // namespace
}  // namespace calibrate::fits
