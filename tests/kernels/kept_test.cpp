// Tests of how many values a ratio keeps.
#include "kernels/kept.hpp"

#include <gtest/gtest.h>

namespace kernels {
namespace {

TEST(Kept, RoundsAndKeepsAtLeastOne) {
  EXPECT_EQ(kept(0.01, 149), 1);
  EXPECT_EQ(kept(0.01, 150), 2);  // 1.5
  EXPECT_EQ(kept(0.001, 10), 1);
  EXPECT_EQ(kept(1, 7), 7);
}

TEST(Kept, IsNoneOfNothing) { EXPECT_EQ(kept(0.5, 0), 0); }

TEST(Kept, CountsBeyond32Bits) { EXPECT_EQ(kept(0.5, std::int64_t{1} << 40), std::int64_t{1} << 39); }

}  // namespace
}  // namespace kernels
