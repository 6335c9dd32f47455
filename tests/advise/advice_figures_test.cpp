// Errors of predictions and bounds on them.
#include "sim/advise/advice_figures.hpp"

#include <gtest/gtest.h>

#include "tests/advise/planned.hpp"

namespace sim::advise {
namespace {

/// One arm with three configurations, of which the first was profiled.
struct ThreeConfigurations {
  ThreeConfigurations() {
    arm.name = "hand";
    arm.grid = {{1, 8}, {2, 8}, {4, 8}};
    advised.arm = &arm;
    advised.search.profiled = {policies::Profile{.index = 0, .step = {1}, .sync = {}, .noise = {}}};
    for (const double time : {100.0, 60.0, 40.0}) {
      advised.truths.push_back({1, {time}, netmodels::Seconds{time}, netmodels::Dollars{time}});
      advised.search.predicted.push_back({1, {time}, {time}, {time}});
    }
    advised.search.predicted[1].time = {66};    // 10 % too much
    advised.search.predicted[2].time = {32};    // 20 % too little
    advised.search.predicted[0].time = {1000};  // was an input
    advised.search.chosen = 2;
    advised.oracle = 2;
  }
  scenario::PlanArm arm;
  Advised advised;
};

TEST(ErrorsOf, AreThoseOfConfigurationsWithoutAProfile) {
  const ThreeConfigurations hand;
  const auto errors = errors_of(hand.advised, Predicted::time);
  ASSERT_TRUE(errors);
  EXPECT_TRUE(errors->held_out);
  EXPECT_EQ(errors->configurations, 2);
  EXPECT_NEAR(errors->mean, 0.15, 1e-12);
  EXPECT_NEAR(errors->worst, 0.2, 1e-12);
}

TEST(ErrorsOf, AreThoseOfAllWhereAllWereProfiled) {
  ThreeConfigurations hand;
  hand.advised.search.profiled = {policies::Profile{.index = 0}, policies::Profile{.index = 1},
                                  policies::Profile{.index = 2}};
  const auto errors = errors_of(hand.advised, Predicted::time);
  EXPECT_FALSE(errors->held_out);
  EXPECT_EQ(errors->configurations, 3);
}

TEST(ErrorsOf, AreNothingWhereNoTruthIsKnown) {
  ThreeConfigurations hand;
  for (Truth& truth : hand.advised.truths) truth.time.reset();
  EXPECT_FALSE(errors_of(hand.advised, Predicted::time));
}

TEST(FigureOf, GivesSharesOfTheTrainingAndOfTheOracle) {
  ThreeConfigurations hand;
  hand.advised.search.time = {4};
  hand.advised.search.cost = {2};
  using scenario::AdviceMetric;
  EXPECT_NEAR(*figure_of(hand.advised, AdviceMetric::explored), 1.0 / 3, 1e-12);
  EXPECT_NEAR(*figure_of(hand.advised, AdviceMetric::search_time), 0.1, 1e-12);
  EXPECT_NEAR(*figure_of(hand.advised, AdviceMetric::cost_over_oracle), 0.05, 1e-12);
  EXPECT_NEAR(*figure_of(hand.advised, AdviceMetric::worst_time_error), 0.2, 1e-12);
}

TEST(Judge, AveragesOverTheArmsThatMatchAndTellsWhatIsMissed) {
  ThreeConfigurations hand;
  scenario::Plan plan;
  plan.bounds = {{.arms = "h*",
                  .metric = scenario::AdviceMetric::time_error,
                  .at_most = 0.16,
                  .source = "s",
                  .where = "f:1:1"},
                 {.arms = "*",
                  .metric = scenario::AdviceMetric::time_error,
                  .at_most = 0.1,
                  .source = "s",
                  .where = "f:2:1"}};
  const std::vector<Advised> arms{hand.advised};
  const auto judged = judge(plan, arms);
  EXPECT_EQ(judged[0].met(), true);
  EXPECT_EQ(judged[1].met(), false);
  EXPECT_EQ(missed(judged), (std::vector<std::string>{"f:2:1: time_error: 15.00 % (bound 10 %) MISSED"}));
}

TEST(Judge, ABoundThatDoesNotCountIsShownWithItsReason) {
  ThreeConfigurations hand;
  scenario::Plan plan;
  plan.bounds = {{.arms = "*",
                  .metric = scenario::AdviceMetric::time_error,
                  .at_most = 0.1,
                  .judged = false,
                  .reason = "it is an outlier",
                  .source = "s"}};
  const auto judged = judge(plan, std::vector<Advised>{hand.advised});
  EXPECT_EQ(judged.front().met(), std::nullopt);
  EXPECT_EQ(missed(judged), std::vector<std::string>{});
  EXPECT_EQ(bounds_text(judged),
            "time_error: 15.00 % (bound 10 %) beyond it, not judged: it is an outlier\nbound by: s\n");
}

TEST(Judge, ABoundOnAFigureThatTheObjectiveDoesNotLookAtIsNotJudged) {
  ThreeConfigurations hand;
  hand.arm.planning.objective = policies::PlanningObjective::cost;
  scenario::Plan plan;
  plan.bounds = {
      {.arms = "*", .metric = scenario::AdviceMetric::time_over_oracle, .at_most = 0.1, .source = "s"}};
  const auto judged = judge(plan, std::vector<Advised>{hand.advised});
  EXPECT_EQ(judged.front().met(), std::nullopt);
  EXPECT_EQ(bounds_text(judged),
            "time_over_oracle: not known (bound 10 %), not judged: the objective is cost\nbound by: s\n");
}

TEST(Judge, MissesABoundOnWhatIsNotKnown) {
  ThreeConfigurations hand;
  hand.advised.oracle.reset();
  scenario::Plan plan;
  plan.bounds = {{.arms = "*", .metric = scenario::AdviceMetric::cost_over_oracle, .at_most = 0.1}};
  EXPECT_EQ(judge(plan, std::vector<Advised>{hand.advised}).front().met(), false);
}

}  // namespace
}  // namespace sim::advise
