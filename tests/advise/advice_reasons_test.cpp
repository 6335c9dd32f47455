// Ranks and sentences.
#include <gtest/gtest.h>

#include "sim/advise/advice_text.hpp"
#include "tests/advise/planned.hpp"

namespace sim::advise {
namespace {

/// Four predictions: fast, between, cheap, and one that is neither.
struct FourPredictions {
  explicit FourPredictions(policies::PlanningObjective objective) {
    arm.grid = {{8, 64}, {4, 64}, {2, 64}, {1, 64}};
    arm.planning.objective = objective;
    advised.arm = &arm;
    for (const auto& [hours, dollars] :
         {std::pair(1.0, 10.0), std::pair(2.0, 4.0), std::pair(8.0, 3.0), std::pair(9.0, 5.0)})
      advised.search.predicted.push_back({1, {1}, {3600 * hours}, {dollars}});
    advised.search.chosen = choose_training(advised.search.predicted, objective);
  }
  scenario::PlanArm arm;
  Advised advised;
};

TEST(Ranked, PutsTheAdviceFirstAndFollowsTheObjective) {
  const FourPredictions cheap(policies::PlanningObjective::cost);
  EXPECT_EQ(ranked(cheap.advised), (std::vector<std::size_t>{2, 1, 3, 0}));
  const FourPredictions knee(policies::PlanningObjective::knee);
  EXPECT_EQ(ranked(knee.advised), (std::vector<std::size_t>{1, 0, 2, 3}));
}

TEST(Ranked, PutsWhatIsBeyondTheLimitsLast) {
  FourPredictions hand(policies::PlanningObjective::time);
  hand.arm.planning.limits.cost = netmodels::Dollars{6};
  hand.advised.search.chosen = 1;
  EXPECT_EQ(ranked(hand.advised), (std::vector<std::size_t>{1, 2, 3, 0}));
  EXPECT_EQ(reason(hand.advised, 0), "beyond the limits, search included");
}

TEST(Reason, SaysWhyAConfigurationIsTheAdviceOrNot) {
  const FourPredictions knee(policies::PlanningObjective::knee);
  EXPECT_EQ(
      reason(knee.advised, 1),
      "the advice: knee of cost over time; 60.0 % cheaper than the fastest, 75.0 % faster than the cheapest");
  EXPECT_EQ(reason(knee.advised, 0), "50.0 % faster, 150.0 % dearer than the advice");
  EXPECT_EQ(reason(knee.advised, 3), "350.0 % slower, 25.0 % dearer than 4 x batch 64");
  EXPECT_EQ(reason(FourPredictions(policies::PlanningObjective::time).advised, 0),
            "the advice: shortest time");
  EXPECT_EQ(reason(FourPredictions(policies::PlanningObjective::cost).advised, 2), "the advice: lowest cost");
}

TEST(AdviceSentence, NamesWhatToRent) {
  EXPECT_EQ(advice_sentence(FourPredictions(policies::PlanningObjective::knee).advised),
            "rent 4 workers with a batch of 64 samples: about 2 h and 4 USD");
  FourPredictions none(policies::PlanningObjective::knee);
  none.advised.search.chosen.reset();
  EXPECT_EQ(advice_sentence(none.advised), "no configuration keeps the limits, search included");
}

}  // namespace
}  // namespace sim::advise
