// Advice as CSV and JSON.
#include "sim/advise/advice_text.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/advise/planned.hpp"

namespace sim::advise {
namespace {

struct Fig5 {
  Fig5() : plan(shipped("papers/scavenger_fig5.yaml")) {
    for (const scenario::PlanArm& arm : plan.arms) arms.push_back(advised_by_table(arm));
    bounds = judge(plan, arms);
  }
  [[nodiscard]] AdvisedPlan all() const { return {"fig5.yaml", &plan, arms, bounds}; }

  scenario::Plan plan;
  std::vector<Advised> arms;
  std::vector<JudgedBound> bounds;
};

TEST(AdviceText, CsvHasOneHeaderAndARowForEachArmAndConfiguration) {
  const Fig5 fig5;
  const std::string csv = print("csv", advice_document(fig5.all()));
  EXPECT_TRUE(csv.starts_with("arm,rank,workers,batch,profiled,predicted_time_s,predicted_cost_usd,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 3 * 6);
}

TEST(AdviceText, JsonHoldsArmsAndBounds) {
  const Fig5 fig5;
  const auto json = nlohmann::json::parse(print("json", advice_document(fig5.all())));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["arms"].size(), 3U);
  EXPECT_EQ(json["arms"][0]["configurations"].size(), 6U);
  EXPECT_EQ(json["arms"][0]["configurations"][0]["true_time_s"], nullptr);
  EXPECT_EQ(json["arms"][0]["searches"][0]["profiled"], 2);
  EXPECT_EQ(json["bounds"].size(), 3U);
  EXPECT_EQ(json["bounds"][0]["met"], true);
  EXPECT_EQ(json["bounds"][0]["judged"], true);
}

TEST(AdviceText, LeavesTrueColumnsOutOfTheTableWhereNothingIsKnown) {
  const Fig5 fig5;
  const std::string text = print("table", advice_document(fig5.all()));
  EXPECT_EQ(text.find("true time (h)"), std::string::npos);
  EXPECT_NE(text.find("errors over 4 configurations without a profile: step mean"), std::string::npos);
}

}  // namespace
}  // namespace sim::advise
