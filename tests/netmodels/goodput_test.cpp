// Goodput: min(share x line rate, flows x flow cap, node cap), by hand.
#include "netmodels/goodput.hpp"

#include <gtest/gtest.h>

namespace netmodels {
namespace {

constexpr double gigabit = 1e9 / 8;

Bandwidth gigabits(double rate) { return {rate * gigabit}; }

TEST(Goodput, WithoutCapsIsTheShareOfTheLineRate) {
  const Goodput found = goodput({0.5, 0.75, 1}, gigabits(40), {});
  EXPECT_EQ(found, (Goodput{gigabits(20), gigabits(30), gigabits(40)}));
}

TEST(Goodput, TheNodeCapBoundsLowAndMidOnly) {  // 50 Gbit/s: 5, 25, 35; cap 20
  const Goodput found = goodput({0.1, 0.5, 0.7}, gigabits(50), {.flows = {}, .node = gigabits(20)});
  EXPECT_DOUBLE_EQ(found.low.count, gigabits(5).count);
  EXPECT_DOUBLE_EQ(found.mid.count, gigabits(20).count);
  EXPECT_DOUBLE_EQ(found.high.count, gigabits(35).count);
}

TEST(Goodput, TheFlowCapBoundsAll) {  // 2 flows of 5 Gbit/s
  const Goodput found =
      goodput({0.5, 0.72, 0.95}, gigabits(25), {.flows = gigabits(10), .node = gigabits(24)});
  EXPECT_EQ(found, (Goodput{gigabits(10), gigabits(10), gigabits(10)}));
}

TEST(Goodput, TheSmallestBoundDecides) {
  EXPECT_EQ(goodput({0.5, 0.5, 0.5}, gigabits(100), {.flows = gigabits(30), .node = gigabits(20)}).mid,
            gigabits(20));
  EXPECT_EQ(goodput({0.5, 0.5, 0.5}, gigabits(100), {.flows = gigabits(10), .node = gigabits(20)}).mid,
            gigabits(10));
  EXPECT_EQ(goodput({0.05, 0.05, 0.05}, gigabits(100), {.flows = gigabits(10), .node = gigabits(20)}).mid,
            gigabits(5));
}

}  // namespace
}  // namespace netmodels
