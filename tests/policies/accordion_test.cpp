// Accordion in both forms, by hand.
#include "policies/accordion.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {

// Accordion by hand: epoch windows and the change of their norms.

namespace {

constexpr Accordion::Settings every_two_epochs{{0.1, 0.001}, 0.5, 2};

/// What is sent in an epoch whose steps have these norms.
std::string_view epoch(Accordion& policy, double number, const std::vector<double>& norms) {
  std::string_view name;
  for (const double norm : norms) {
    const Decided decided = play(policy, {.epoch = number, .squared_norm = norm * norm});
    name = decided.sent == low ? "low" : "high";
  }
  return name;
}

TEST(Accordion, CompressesTheFirstWindowLow) {
  Accordion policy(every_two_epochs, on_topk);
  EXPECT_EQ(epoch(policy, 0, {4, 4}), "low");
  EXPECT_EQ(epoch(policy, 1, {4, 4}), "low");
}

// Mean norms of the windows: 4, 3, 1.5, 1.4. The first has no earlier window.
TEST(Accordion, ChangesItsMindWithTheChangeOfTheNorm) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {5, 3});
  EXPECT_EQ(epoch(policy, 2, {3}), "low");     // a single window is no change
  EXPECT_EQ(epoch(policy, 4, {1.5}), "high");  // 4 -> 3: 0.25
  EXPECT_EQ(epoch(policy, 6, {1.4}), "low");   // 3 -> 1.5: 0.5, which is enough
  EXPECT_EQ(epoch(policy, 8, {1.4}), "high");  // 1.5 -> 1.4
}

TEST(Accordion, AGrowingNormIsAChangeToo) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {1});
  (void)epoch(policy, 2, {2});
  EXPECT_EQ(epoch(policy, 4, {2}), "low");
  EXPECT_EQ(epoch(policy, 6, {2}), "high");
}

TEST(Accordion, DecidesAtTheEndOfAWindowOnly) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {1});
  (void)epoch(policy, 2, {1});
  (void)epoch(policy, 4, {1});
  EXPECT_EQ(epoch(policy, 5.9, {100}), "high");
  EXPECT_EQ(epoch(policy, 6, {100}), "low");
}

TEST(Accordion, AWindowWithoutNormsChangesNothing) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {1});
  (void)epoch(policy, 2, {1});
  EXPECT_EQ(epoch(policy, 4, {1}), "high");
  EXPECT_EQ(play(policy, {.epoch = 6}).sent, high);
  EXPECT_EQ(play(policy, {.epoch = 8}).sent, high);
}

TEST(Accordion, NormsOfZeroAreNoChangeAndNoNumberIsOne) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {0});
  (void)epoch(policy, 2, {0});
  EXPECT_EQ(epoch(policy, 4, {std::numeric_limits<double>::quiet_NaN()}), "high");
  EXPECT_EQ(epoch(policy, 6, {1}), "low");
  EXPECT_EQ(epoch(policy, 8, {1}), "low");
  EXPECT_EQ(epoch(policy, 10, {1}), "high");
}

}  // namespace

// The step-by-step variant by hand.

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
