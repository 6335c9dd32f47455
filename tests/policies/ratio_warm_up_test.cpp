// The warm-up, and that the policy behind it neither sees it nor misses anything after it.
#include "policies/ratio_warm_up.hpp"

#include <gtest/gtest.h>

#include "policies/accordion_per_step.hpp"
#include "policies/fixed_compression.hpp"
#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

constexpr RatioSchedule five_epochs{5, RatioShape::linear};
constexpr CompressionChoice first{"topk", 0.1};

RatioWarmUp before_fixed(const RatioSchedule& schedule) {
  return {schedule, first, std::make_unique<FixedCompression>(first)};
}

TEST(RatioWarmUp, BeginsDenseAndArrivesAtTheFirstRatio) {
  RatioWarmUp policy = before_fixed(five_epochs);
  EXPECT_EQ(play(policy, {.epoch = 0}).sent, (CompressionChoice{"none", 1}));
  const CompressionChoice half_way = play(policy, {.epoch = 2.5}).sent;
  EXPECT_EQ(half_way.method, "topk");
  EXPECT_DOUBLE_EQ(half_way.ratio, 0.55);
  EXPECT_EQ(play(policy, {.epoch = 5}).sent, first);
}

TEST(RatioWarmUp, OfNoEpochsIsNoWarmUp) {
  RatioWarmUp policy = before_fixed({0, RatioShape::exponential});
  EXPECT_EQ(play(policy, {.epoch = 0}).sent, first);
}

TEST(RatioWarmUp, HandsOnAllThatComesAfterAndNothingThatWasBefore) {
  const AccordionPerStep::Settings settings{{0.1, 0.001}, 0.2, 1};
  RatioWarmUp policy(five_epochs, first, std::make_unique<AccordionPerStep>(settings, on_topk));
  (void)play(policy, {.epoch = 4, .squared_norm = 1});
  EXPECT_EQ(play(policy, {.epoch = 5, .squared_norm = 1}).sent, first);
  EXPECT_EQ(play(policy, {.epoch = 5, .squared_norm = 1}).sent, first);  // it knows one norm, not two
  EXPECT_EQ(play(policy, {.epoch = 5, .squared_norm = 1}).sent, (CompressionChoice{"topk", 0.001}));
}

TEST(RatioWarmUp, ACopyMadeInTheMiddleOfAStepKnowsThatTheWarmUpIsOver) {
  const AccordionPerStep::Settings settings{{0.1, 0.001}, 0.2, 1};
  RatioWarmUp policy(five_epochs, first, std::make_unique<AccordionPerStep>(settings, on_topk));
  (void)policy.plan({0, 5, 8, 1000, std::nullopt});
  const auto twin = policy.copy();
  CompressionOutcome outcome;
  outcome.squared_norm = 1;
  twin->learn(outcome);
  (void)play(*twin, {.epoch = 5, .squared_norm = 1});
  EXPECT_EQ(play(*twin, {.epoch = 5}).sent, (CompressionChoice{"topk", 0.001}));  // it has learnt both norms
}

}  // namespace
}  // namespace policies
