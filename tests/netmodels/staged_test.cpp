// Exchanges in stages, by hand.
#include "netmodels/staged.hpp"

#include <gtest/gtest.h>

#include "netmodels/binomial_tree.hpp"
#include "netmodels/ring.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {

// Parameter server: figures by hand, and the limits of its closed form.

namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(ParameterServer, FourRanksPushAndPullThroughOneLink) {  // 2 ms + 2 * 3 * 10 MB / 100 MB/s
  EXPECT_NEAR(parameter_server_allreduce_time({4, 10_MB}, kLink).count, 0.602, 1e-15);
}

TEST(ParameterServer, OneRankIsFree) {
  EXPECT_EQ(parameter_server_allreduce_time({1, 10_MB}, kLink), Seconds{});
  EXPECT_EQ(parameter_server_allreduce({1, 10_MB}).messages(), 0U);
}

TEST(ParameterServer, TwoRanksSendOneMessageEachWay) {
  EXPECT_NEAR(parameter_server_allreduce_time({2, 10_MB}, kLink).count, 0.202, 1e-15);
  EXPECT_EQ(parameter_server_allreduce({2, 10_MB}).messages(), 2U);
}

TEST(ParameterServer, EveryMessageHasTheServerAtOneEnd) {
  const Schedule schedule = parameter_server_allreduce({5, 10_MB});
  ASSERT_EQ(schedule.phases.size(), 2U);
  for (const Transfer& transfer : schedule.phases[0].rounds[0]) EXPECT_EQ(transfer.to, 0U);
  for (const Transfer& transfer : schedule.phases[1].rounds[0]) EXPECT_EQ(transfer.from, 0U);
  EXPECT_EQ(schedule.bytes(), 80_MB);
}

TEST(ParameterServer, TimeGrowsWithTheNumberOfWorkersServed) {
  const double ten = parameter_server_allreduce_time({11, 10_MB}, {{}, {100e6}}).count;
  const double twenty = parameter_server_allreduce_time({21, 10_MB}, {{}, {100e6}}).count;
  EXPECT_NEAR(twenty, 2 * ten, 1e-14);
}

}  // namespace

// AR-Topk: figures by hand of both forms.

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
