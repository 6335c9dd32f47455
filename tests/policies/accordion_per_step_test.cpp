// The step-by-step variant by hand.
#include "policies/accordion_per_step.hpp"

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

constexpr AccordionPerStep::Settings by_halves{{0.1, 0.001}, 0.2, 0.5};

/// What the step after one with this norm sends.
std::string_view after(AccordionPerStep& policy, double norm) {
  (void)play(policy, {.squared_norm = norm * norm});
  return policy.plan({}).trials.front() == low ? "low" : "high";
}

TEST(AccordionPerStep, BeginsLow) {
  AccordionPerStep policy(by_halves, on_topk);
  EXPECT_EQ(play(policy, {.squared_norm = 16}).sent, low);
  EXPECT_EQ(policy.plan({}).trials.front(), low);
}

// E: 4, 4.5 (a change of 0.125), 5.5 (0.222), 4.35 (0.209), 4.35 (0).
TEST(AccordionPerStep, ChangesItsMindWithTheSmoothedNorm) {
  AccordionPerStep policy(by_halves, on_topk);
  EXPECT_EQ(after(policy, 4), "low");
  EXPECT_EQ(after(policy, 5), "high");
  EXPECT_EQ(after(policy, 6.5), "low");
  EXPECT_EQ(after(policy, 3.2), "low");
  EXPECT_EQ(after(policy, 4.35), "high");
}

TEST(AccordionPerStep, AStepWithoutANormChangesNothing) {
  AccordionPerStep policy(by_halves, on_topk);
  (void)after(policy, 4);
  EXPECT_EQ(after(policy, 4), "high");
  EXPECT_EQ(play(policy, {}).sent, high);
  EXPECT_EQ(play(policy, {}).sent, high);
}

TEST(AccordionPerStep, NormsOfZeroAreNoChange) {
  AccordionPerStep policy(by_halves, on_topk);
  (void)after(policy, 0);
  EXPECT_EQ(after(policy, 0), "high");
  EXPECT_EQ(after(policy, 1), "low");
}

}  // namespace
}  // namespace policies
