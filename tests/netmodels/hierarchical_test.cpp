// Two-level all-reduce: figures by hand, and its limits as a plain ring.
#include "netmodels/hierarchical.hpp"

#include <gtest/gtest.h>

#include "netmodels/ring.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(HierarchicalAllReduce, TwoNodesOfThreeByHand) {  // 4 (1 ms + 10 MB/100 MB/s) + 2 (1 ms + 5 MB/100 MB/s)
  EXPECT_NEAR(hierarchical_allreduce_time({6, 30_MB, 3}, kLink).count, 4 * 0.101 + 2 * 0.051, 1e-15);
}

TEST(HierarchicalAllReduce, NodesOfOneRankAreAPlainRing) {
  const Operation operation{6, 30_MB, 1};
  EXPECT_NEAR(hierarchical_allreduce_time(operation, kLink).count,
              ring_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_EQ(hierarchical_allreduce(operation).messages(), ring_allreduce(operation).messages());
}

TEST(HierarchicalAllReduce, OneNodeOfAllRanksIsAPlainRing) {
  const Operation operation{6, 30_MB, 6};
  EXPECT_NEAR(hierarchical_allreduce_time(operation, kLink).count,
              ring_allreduce_time(operation, kLink).count, 1e-15);
  EXPECT_NEAR(hierarchical_allreduce(operation).bytes().count, ring_allreduce(operation).bytes().count, 1e-6);
}

TEST(HierarchicalAllReduce, OneRankIsFree) {
  EXPECT_EQ(hierarchical_allreduce_time({1, 30_MB}, kLink), Seconds{});
  EXPECT_EQ(hierarchical_allreduce({1, 30_MB}).messages(), 0U);
}

TEST(HierarchicalAllReduce, TheOuterRoundsLeaveTheNodeAndTheInnerOnesStay) {
  const Schedule schedule = hierarchical_allreduce({12, 12_MB, 4});
  ASSERT_EQ(schedule.phases.size(), 3U);
  for (const Transfer& transfer : schedule.phases[0].rounds[0]) EXPECT_EQ(transfer.from / 4, transfer.to / 4);
  for (const Transfer& transfer : schedule.phases[1].rounds[0]) {
    EXPECT_EQ((transfer.from / 4 + 1) % 3, transfer.to / 4);
    EXPECT_EQ(transfer.from % 4, transfer.to % 4);
  }
}

TEST(HierarchicalAllReduce, BetweenNodesOnlyARankthOfTheMessageMoves) {  // 2(n-1) rounds of N messages of M/N
  const Schedule schedule = hierarchical_allreduce({12, 12_MB, 4});
  EXPECT_EQ(schedule.phases[1].repeat, 4U);
  EXPECT_EQ(schedule.phases[1].rounds[0][0].size, 1_MB);
}

}  // namespace
}  // namespace netmodels
