// Fixed compression, and warm-ups before another policy.
#include "policies/stated_compression.hpp"

#include <gtest/gtest.h>

#include "policies/accordion.hpp"
#include "tests/policies/compression_job.hpp"

namespace policies {

// The policy that never changes its mind.

namespace {

TEST(FixedCompression, SendsItsChoiceWhateverIsSeen) {
  FixedCompression policy({"topk", 0.01});
  for (const double gain : {1.0, 0.001}) {
    const Decided decided = play(policy, {.gain = [&](const auto&) { return gain; }, .squared_norm = gain});
    EXPECT_EQ(decided, (Decided{{{"topk", 0.01}}, {}, {"topk", 0.01}}));
  }
}

TEST(FixedCompression, IsDenseByDefault) {
  FixedCompression policy({});
  EXPECT_EQ(play(policy, {}).sent, (CompressionChoice{"none", 1}));
}

}  // namespace

// The warm-up, and that the policy after it neither sees it nor misses a later step.

namespace {

constexpr RatioSchedule five_epochs{5, RatioShape::linear};
const CompressionChoice first{"topk", 0.1};

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

TEST(RatioWarmUp, OfWholeGradientsEndsWithItsStepsWhateverTheMethod) {
  const CompressionChoice signs{"onebit_adam", 1};
  RatioWarmUp policy({.shape = RatioShape::dense, .steps = 20}, signs,
                     std::make_unique<FixedCompression>(signs));
  CompressionObservation seen;
  seen.step = 30;  // 11 of another's experiments
  seen.done = 19;
  EXPECT_EQ(policy.plan(seen).trials.front(), (CompressionChoice{"none", 1}));
  seen.done = 20;
  EXPECT_EQ(policy.plan(seen).trials.front(), signs);
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
  const auto copy = policy.copy();
  CompressionOutcome outcome;
  outcome.squared_norm = 1;
  copy->learn(outcome);
  (void)play(*copy, {.epoch = 5, .squared_norm = 1});
  EXPECT_EQ(play(*copy, {.epoch = 5}).sent, (CompressionChoice{"topk", 0.001}));  // it has learnt both norms
}

}  // namespace
}  // namespace policies
