// Counting what is left out.
#include "sim/scenario/policy_grid.hpp"

#include <gtest/gtest.h>

namespace sim::scenario {
namespace {

TEST(PolicyGrid, ReasonsThatDifferInNamesOnlyAreOne) {
  std::vector<LeftOut> left_out;
  leave_out(left_out, "`a` cannot carry `b`");
  leave_out(left_out, "something else");
  leave_out(left_out, "`c` cannot carry `d`");
  ASSERT_EQ(left_out.size(), 2U);
  EXPECT_EQ(left_out[0].combinations, 2U);
  EXPECT_EQ(left_out[0].reason, "`a` cannot carry `b`");
  EXPECT_EQ(left_out[1].combinations, 1U);
}

TEST(PolicyGrid, TheMostFrequentReasonStandsFirst) {
  std::vector<LeftOut> left_out;
  for (const std::string reason : {"seldom", "often", "often"}) leave_out(left_out, reason);
  EXPECT_EQ(left_out.front().reason, "often");
}

}  // namespace
}  // namespace sim::scenario
