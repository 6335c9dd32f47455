// Accordion by hand: epoch windows and the change of their norms.
#include "policies/accordion.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {
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

// Mean norms of the windows: 4, 3, 1.5, 1.4. The first has nothing to be held against.
TEST(Accordion, ChangesItsMindWithTheChangeOfTheNorm) {
  Accordion policy(every_two_epochs, on_topk);
  (void)epoch(policy, 0, {5, 3});
  EXPECT_EQ(epoch(policy, 2, {3}), "low");     // one window alone is no change
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
}  // namespace policies
