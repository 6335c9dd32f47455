// Shares of steps: one column for each thing that was used, ranges where there are many ratios.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/run_page.hpp"

namespace sim::report {

using command_line::Cell;
using command_line::Column;
using command_line::Table;

namespace {

using testing::ElementsAre;

std::vector<std::string> heading_titles(const Table& table) {
  std::vector<std::string> names;
  for (const Column& heading : table.columns) names.push_back(heading.title);
  return names;
}

TEST(UseShares, EachArmsSharesAddUpToOne) {
  const std::vector<Uses<std::string>> arms{{"a", {{"tree", 1}, {"ring", 3}}}, {"b", {{"ring", 10}}}};
  EXPECT_TRUE(has_several(arms));
  const Table table = use_shares(arms);
  EXPECT_THAT(heading_titles(table), ElementsAre("arm", "ring", "tree"));
  EXPECT_THAT(table.rows[0], ElementsAre(Cell("a"), Cell(0.75), Cell(0.25)));
  EXPECT_THAT(table.rows[1], ElementsAre(Cell("b"), Cell(1.0), Cell()));
}

TEST(UseShares, OneForEachArmIsNoDensity) {
  EXPECT_FALSE(has_several(std::vector<Uses<std::string>>{{"a", {{"tree", 1}}}, {"b", {{"ring", 1}}}}));
}

TEST(RatioShares, FewRatiosStandByThemselves) {
  const std::vector<Uses<double>> arms{{"a", {{0.001, 1}, {0.1, 3}}}};
  const Table table = ratio_shares(arms);
  EXPECT_THAT(heading_titles(table), ElementsAre("arm", "ratio 0.001", "ratio 0.1"));
  EXPECT_THAT(table.rows[0], ElementsAre(Cell("a"), Cell(0.25), Cell(0.75)));
}

TEST(RatioShares, ManyRatiosArePutTogetherInRanges) {
  Uses<double> uses{"a"};
  for (int i = 0; i < 20; ++i) uses.steps.emplace_back(0.01 + 0.0005 * i, 1);  // 0.01 ... 0.0195
  uses.steps.emplace_back(0.02, 10);
  uses.steps.emplace_back(0.05, 5);
  uses.steps.emplace_back(1, 5);
  const Table table = ratio_shares(std::vector{uses});
  EXPECT_THAT(heading_titles(table),
              ElementsAre("arm", "ratio 0.01 to 0.02", "ratio 0.02 to 0.05", "ratio 0.05 to 0.1", "ratio 1"));
  EXPECT_THAT(table.rows[0], ElementsAre(Cell("a"), Cell(0.5), Cell(0.25), Cell(0.125), Cell(0.125)));
}

}  // namespace
}  // namespace sim::report
