// Parts of a step: adding, averaging and their total.
#include "sim/engine/record.hpp"

#include <gtest/gtest.h>

namespace sim::engine {
namespace {

using namespace netmodels::literals;

TEST(Parts, AddUpPartByPart) {
  Parts sum{1_s, 2_s, 3_s, 4_s};
  sum += Parts{10_s, 20_s, 30_s, 40_s};
  EXPECT_EQ(sum.compute, 11_s);
  EXPECT_EQ(sum.wait, 22_s);
  EXPECT_EQ(sum.compress, 33_s);
  EXPECT_EQ(sum.exchange, 44_s);
  EXPECT_EQ(sum.total(), 110_s);
}

TEST(Parts, ADivisionReachesEveryPart) {
  const Parts half = Parts{1_s, 2_s, 3_s, 4_s} / 2;
  EXPECT_EQ(half.compute, 0.5_s);
  EXPECT_EQ(half.wait, 1_s);
  EXPECT_EQ(half.compress, 1.5_s);
  EXPECT_EQ(half.exchange, 2_s);
}

}  // namespace
}  // namespace sim::engine
