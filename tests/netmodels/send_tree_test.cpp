// Trees in program order: who sends to whom, and times by hand.
#include "netmodels/send_tree.hpp"

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "tests/netmodels/star.hpp"

namespace netmodels {
namespace {

using namespace literals;
using Children = std::vector<std::uint32_t>;

constexpr Bytes operator""_KiB(unsigned long long v) { return {static_cast<double>(v) * 1024}; }

const LinkState kWide{1_ms, {100e6}};  // 10 MB in 0.1 s
const LinkState kSlow{0_s, {6.25e6}};  // 50 Mbit/s

Children children(const SendTree& tree, std::uint32_t rank) {
  Children all;
  for (const TreeSend& send : tree.sends[rank]) all.push_back(send.to);
  return all;
}

/// In units of M/B.
double buffered_messages(std::uint32_t ranks, Bytes size) {
  return binomial_broadcast_buffered_time({ranks, size}, kSlow) / (size / kSlow.bandwidth);
}

TEST(SendTree, OfDistanceDoublingGivesRankOneTheDeepestSubtree) {
  const SendTree tree = doubling_tree(8, 1_MB);
  EXPECT_EQ(children(tree, 0), (Children{1, 2, 4}));
  EXPECT_EQ(children(tree, 1), (Children{3, 5}));
  EXPECT_EQ(children(tree, 2), (Children{6}));
  EXPECT_EQ(children(tree, 3), (Children{7}));
}

TEST(SendTree, OfDistanceHalvingServesTheDeepestSubtreeFirst) {
  const SendTree tree = halving_tree(8, 1_MB, false);
  EXPECT_EQ(children(tree, 0), (Children{4, 2, 1}));
  EXPECT_EQ(children(tree, 4), (Children{6, 5}));
  EXPECT_EQ(children(tree, 6), (Children{7}));
}

TEST(SendTree, AScatterSendsWhatTheSubtreeNeeds) {
  const SendTree eight = halving_tree(8, 8_MB, true);
  EXPECT_EQ(eight.sends[0][0].size, 4_MB);
  EXPECT_EQ(eight.sends[0][2].size, 1_MB);
  EXPECT_EQ(halving_tree(6, 6_MB, true).sends[0][0].size, 2_MB);  // ranks 4 and 5
}

TEST(SendTree, OfTwoAndOfFourChildrenAreOpenMpis) {
  const SendTree two = binary_tree(7, 1_MB);
  EXPECT_EQ(children(two, 0), (Children{1, 2}));
  EXPECT_EQ(children(two, 1), (Children{3, 5}));
  EXPECT_EQ(children(two, 2), (Children{4, 6}));
  const SendTree four = knomial_tree(10, 1_MB, 4);
  EXPECT_EQ(children(four, 0), (Children{1, 2, 3, 4, 8}));
  EXPECT_EQ(children(four, 4), (Children{5, 6, 7}));
  EXPECT_EQ(children(four, 8), (Children{9}));
}

TEST(SendTree, EveryRankReceivesOnceFromALowerOne) {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
    for (const SendTree& tree :
         {doubling_tree(ranks, 1_MB), halving_tree(ranks, 1_MB, true), binary_tree(ranks, 1_MB),
          knomial_tree(ranks, 1_MB, 4), linear_tree(ranks, 1_MB)}) {
      Children received(ranks);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const std::uint32_t child : children(tree, rank)) {
          EXPECT_LT(rank, child);
          ++received[child];
        }
      }
      for (std::uint32_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(received[rank], 1U) << ranks;
    }
  }
}

TEST(SendTree, ChildrenServedAtOnceShareTheLink) {  // L alpha + L(L+1)/2 M/B
  EXPECT_NEAR(binomial_broadcast_at_once_time({2, 10_MB}, kWide).count, 0.101, 1e-12);
  EXPECT_NEAR(binomial_broadcast_at_once_time({4, 10_MB}, kWide).count, 0.302, 1e-12);
  EXPECT_NEAR(binomial_broadcast_at_once_time({8, 10_MB}, kWide).count, 0.603, 1e-12);
  EXPECT_NEAR(binomial_broadcast_at_once_time({16, 10_MB}, kWide).count, 1.004, 1e-12);
}

TEST(SendTree, SmallMessagesLeaveWholeInProgramOrder) {  // L (alpha + M/B), and a byte that two sends share
  const LinkState link{1_ms, {1e6}};
  EXPECT_NEAR(binomial_broadcast_at_once_time({2, Bytes{5e4}}, link).count, 0.051, 1e-12);
  EXPECT_NEAR(binomial_broadcast_at_once_time({4, Bytes{5e4}}, link).count, 0.102, 3e-6);
  EXPECT_NEAR(binomial_broadcast_at_once_time({8, Bytes{5e4}}, link).count, 0.153, 6e-6);
  EXPECT_NEAR(binomial_broadcast_at_once_time({8, 64_KiB}, link).count, 3 * (0.001 + 0.065536), 6e-6);
  EXPECT_NEAR(binomial_broadcast_at_once_time({8, 128_KiB}, link).count, 3 * 0.001 + 6 * 0.131072, 1e-12);
}

TEST(SendTree, SevenRanksLackTheDeepestLeaf) {  // 0 to three, then 1 to two: 3 + 2 messages
  EXPECT_NEAR(binomial_broadcast_at_once_time({7, 10_MB}, kWide).count, 0.502, 1e-12);
}

TEST(SendTree, ALinearBroadcastSendsAllFromOneLink) {
  EXPECT_NEAR(linear_broadcast_time({8, 10_MB}, kWide).count, 0.701, 1e-12);
}

TEST(SendTree, ABlockingSendSharesTheLinkWithTheTailBeforeIt) {  // measured: 2.49, 2.13, 3.99, 3.25 M/B
  EXPECT_NEAR(buffered_messages(4, 1_MiB), 2.5, 1e-9);
  EXPECT_NEAR(buffered_messages(4, 4_MiB), 2.125, 1e-9);
  EXPECT_NEAR(buffered_messages(8, 1_MiB), 4, 1e-9);
  EXPECT_NEAR(buffered_messages(8, 4_MiB), 3.25, 1e-9);
}

TEST(SendTree, MessagesThatTheSocketTakesAreServedAtOnce) {
  EXPECT_NEAR(buffered_messages(4, 512_KiB), 3, 1e-9);
  EXPECT_NEAR(buffered_messages(8, 64_KiB), 6, 1e-9);
}

TEST(SendTree, SendsOfABlockingRankFollowWithoutAnotherLatency) {  // 3 of them, and 3 M/B + 2 S/B
  const LinkState far{1_s, {1048576}};
  EXPECT_NEAR(binomial_broadcast_buffered_time({8, 1_MiB}, far).count, 3 + 4, 1e-9);
}

TEST(SendTree, RoundsAreTheProgramsOfTheRanks) {
  const Schedule at_once = binomial_broadcast_at_once({8, 10_MB});
  EXPECT_EQ(at_once.rounds(), 4U);  // of ranks 0 to 3
  EXPECT_EQ(at_once.messages(), 7U);
  const Schedule blocking = binomial_broadcast_buffered({8, 10_MB});
  EXPECT_EQ(blocking.rounds(), 7U);
  EXPECT_EQ(blocking.phases[0].rounds[0][0].buffered, 512_KiB);
}

TEST(SendTree, APathWithoutASecondSendIsExactAndOthersAreRefused) {
  const testing::Star two{2, kWide};
  const auto path =
      RoutedSchedule(binomial_broadcast_buffered({2, 10_MB}), two.routes()).evaluate(two.state());
  ASSERT_TRUE(path.has_value());
  EXPECT_NEAR(path->duration.count, 0.101, 1e-12);
  const testing::Star four{4, kWide};
  const auto met =
      RoutedSchedule(binomial_broadcast_buffered({4, 10_MB}), four.routes()).evaluate(four.state());
  ASSERT_FALSE(met.has_value());
  EXPECT_EQ(
      met.error().text(),
      "messages share a link on the path from rank 0 to rank 1; the path evaluator supports one flow per "
      "link at a time; use `simgrid` or `auto`");
}

}  // namespace
}  // namespace netmodels
