// Binomial trees: figures by hand and the contents of each rank over time.
#include "netmodels/binomial_tree.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(BinomialBroadcast, EightRanksTakeThreeMessagesInARow) {
  EXPECT_NEAR(binomial_broadcast_time({8, 10_MB}, kLink).count, 3 * 0.101, 1e-15);
}

TEST(BinomialBroadcast, NineRanksTakeOneMore) {
  EXPECT_NEAR(binomial_broadcast_time({9, 10_MB}, kLink).count, 4 * 0.101, 1e-15);
  EXPECT_EQ(binomial_broadcast({9, 10_MB}).rounds(), 4U);
}

TEST(BinomialBroadcast, OneRankIsFree) {
  EXPECT_EQ(binomial_broadcast_time({1, 10_MB}, kLink), Seconds{});
  EXPECT_EQ(binomial_broadcast({1, 10_MB}).messages(), 0U);
}

TEST(BinomialBroadcast, ReachesEveryRankOnceFromOneThatKnows) {
  for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
    std::vector<bool> knows(ranks, false);
    knows[0] = true;
    for (const Phase& phase : binomial_broadcast({ranks, 10_MB}).phases) {
      const std::vector<bool> before = knows;
      for (const Transfer& transfer : phase.rounds[0]) {
        EXPECT_TRUE(before[transfer.from]);
        EXPECT_FALSE(knows[transfer.to]);
        knows[transfer.to] = true;
      }
    }
    EXPECT_EQ(std::count(knows.begin(), knows.end(), true), ranks);
  }
}

TEST(BinomialBroadcast, GoesFarFirstSoThatOneMessageReachesEachNode) {  // nodes of 4 of 16 ranks
  std::vector<int> entered(4, 0);
  for (const Phase& phase : binomial_broadcast({16, 10_MB}).phases) {
    for (const Transfer& transfer : phase.rounds[0]) {
      if (transfer.from / 4 != transfer.to / 4) ++entered[transfer.to / 4];
    }
  }
  EXPECT_EQ(entered, (std::vector<int>{0, 1, 1, 1}));
}

TEST(BinomialTreeAllReduce, IsAReductionAndABroadcast) {
  EXPECT_NEAR(binomial_tree_allreduce_time({8, 10_MB}, kLink).count, 6 * 0.101, 1e-15);
  const Schedule tree = binomial_tree_allreduce({8, 10_MB});
  EXPECT_EQ(tree.messages(), 14U);
  EXPECT_EQ(tree.phases.front().rounds[0].size(), 4U);  // all pairs first, the root last
  EXPECT_EQ(tree.phases[2].rounds[0][0].to, 0U);
  EXPECT_EQ(tree.phases[3].rounds[0][0].from, 0U);
}

}  // namespace
}  // namespace netmodels
