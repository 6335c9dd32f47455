// AR-Topk: figures by hand of both forms.
#include "netmodels/ar_topk.hpp"

#include <gtest/gtest.h>

#include "netmodels/binomial_tree.hpp"
#include "netmodels/ring.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(ArTopkRing, EightRanksByHand) {  // 3 (1 ms + 80 ms) + 14 (1 ms + 10 ms)
  EXPECT_NEAR(ar_topk_ring_time({8, 8_MB}, kLink).count, 3 * 0.081 + 14 * 0.011, 1e-15);
}

TEST(ArTopkTree, EightRanksByHand) {  // 9 (1 ms + 80 ms)
  EXPECT_NEAR(ar_topk_tree_time({8, 8_MB}, kLink).count, 9 * 0.081, 1e-15);
}

TEST(ArTopkTree, IsThreeBroadcastsLongForAnyNumberOfRanks) {
  for (const std::uint32_t ranks : {2U, 3U, 7U, 100U}) {
    const Operation operation{ranks, 8_MB};
    EXPECT_NEAR(ar_topk_tree_time(operation, kLink).count,
                3 * binomial_broadcast_time(operation, kLink).count, 1e-14);
  }
}

TEST(ArTopk, OneRankIsFree) {
  EXPECT_EQ(ar_topk_ring_time({1, 8_MB}, kLink), Seconds{});
  EXPECT_EQ(ar_topk_tree_time({1, 8_MB}, kLink), Seconds{});
  EXPECT_EQ(ar_topk_ring({1, 8_MB}).messages(), 0U);
  EXPECT_EQ(ar_topk_tree({1, 8_MB}).messages(), 0U);
}

TEST(ArTopk, IndicesAreBroadcastBeforeValuesAreSummed) {
  const Operation operation{6, 6_MB};
  const Schedule ring = ar_topk_ring(operation);
  EXPECT_EQ(ring.messages(), binomial_broadcast(operation).messages() + ring_allreduce(operation).messages());
  EXPECT_EQ(ring.phases.front().rounds[0][0].size, 6_MB);
  EXPECT_EQ(ring.phases.back().rounds[0][0].size, 1_MB);
}

TEST(ArTopk, TheTreePaysOffOnlyWhereLatencyWeighs) {
  EXPECT_LT(ar_topk_tree_time({64, {1e3}}, kLink), ar_topk_ring_time({64, {1e3}}, kLink));
  EXPECT_GT(ar_topk_tree_time({64, 100_MB}, kLink), ar_topk_ring_time({64, 100_MB}, kLink));
}

}  // namespace
}  // namespace netmodels
