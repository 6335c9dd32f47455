// Halving and doubling: figures by hand for powers of two and for numbers between them.
#include "netmodels/halving_doubling.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;

TEST(HalvingDoublingAllReduce, FourRanksSendAHalfAndAQuarterTwice) {  // 4 ms + 2 * 3/4 * 40 MB / 100 MB/s
  EXPECT_NEAR(halving_doubling_allreduce_time({4, 40_MB}, kLink).count, 0.004 + 0.6, 1e-15);
}

TEST(HalvingDoublingAllReduce, SixRanksHandInAndBackTheRestFirst) {  // that of four and 2 (1 ms + 0.4 s)
  EXPECT_NEAR(halving_doubling_allreduce_time({6, 40_MB}, kLink).count, 0.604 + 0.802, 1e-15);
}

TEST(HalvingDoublingAllReduce, OneRankIsFree) {
  EXPECT_EQ(halving_doubling_allreduce_time({1, 40_MB}, kLink), Seconds{});
  EXPECT_EQ(halving_doubling_allreduce({1, 40_MB}).messages(), 0U);
}

TEST(HalvingDoublingAllReduce, MovesAsManyBytesAsARingOnPowersOfTwo) {
  EXPECT_NEAR(halving_doubling_allreduce({8, 40_MB}).bytes().count, 2 * 7 * 40e6, 1e-6);
}

TEST(HalvingDoublingAllReduce, TheFirstPartnerIsTheFarthestAndGetsAHalf) {
  const Schedule schedule = halving_doubling_allreduce({8, 40_MB});
  ASSERT_EQ(schedule.rounds(), 6U);
  const Transfer& first = schedule.phases[0].rounds[0][0];
  EXPECT_EQ(first.to, 4U);
  EXPECT_EQ(first.size, 20_MB);
  EXPECT_EQ(schedule.phases[2].rounds[0][0].to, 1U);
  EXPECT_EQ(schedule.phases[2].rounds[0][0].size, 5_MB);
}

TEST(HalvingDoublingAllReduce, TheRestIsFoldedIntoTheFirstRanks) {
  const Schedule schedule = halving_doubling_allreduce({6, 40_MB});
  const Round& in = schedule.phases.front().rounds[0];
  const Round& out = schedule.phases.back().rounds[0];
  ASSERT_EQ(in.size(), 2U);
  EXPECT_EQ(in[1].from, 5U);
  EXPECT_EQ(in[1].to, 1U);
  EXPECT_EQ(out[1].from, 1U);
  EXPECT_EQ(out[1].to, 5U);
  EXPECT_EQ(out[1].size, 40_MB);
}

TEST(RecursiveDoublingAllReduce, EightRanksSwapTheWholeThreeTimes) {
  EXPECT_NEAR(recursive_doubling_allreduce_time({8, 10_MB}, kLink).count, 3 * 0.101, 1e-15);
  EXPECT_EQ(recursive_doubling_allreduce({8, 10_MB}).bytes(), 240_MB);
}

TEST(RecursiveDoublingAllReduce, FiveRanksCostTwoSwapsAndTheFold) {
  EXPECT_NEAR(recursive_doubling_allreduce_time({5, 10_MB}, kLink).count, 4 * 0.101, 1e-15);
}

TEST(RecursiveDoublingAllGather, EightRanksDoubleThreeTimes) {  // 3 ms + 7/8 * 80 MB / 100 MB/s
  EXPECT_NEAR(recursive_doubling_allgather_time({8, 80_MB}, kLink).count, 0.703, 1e-15);
}

TEST(RecursiveDoublingAllGather, FiveRanksTakeThreeRoundsOfOneTwoAndOneBlock) {
  const Schedule schedule = recursive_doubling_allgather({5, 50_MB});
  ASSERT_EQ(schedule.phases.size(), 3U);
  EXPECT_EQ(schedule.phases[0].rounds[0][0].size, 10_MB);
  EXPECT_EQ(schedule.phases[1].rounds[0][0].size, 20_MB);
  EXPECT_EQ(schedule.phases[2].rounds[0][0].size, 10_MB);
  EXPECT_NEAR(recursive_doubling_allgather_time({5, 50_MB}, kLink).count, 0.003 + 0.4, 1e-15);
}

TEST(RecursiveDoublingAllGather, EveryRankReceivesAllOtherBlocks) {
  for (const std::uint32_t ranks : {2U, 3U, 7U, 8U, 13U}) {
    std::vector<double> received(ranks);
    for (const Phase& phase : recursive_doubling_allgather({ranks, {1.0 * ranks}}).phases) {
      for (const Transfer& transfer : phase.rounds[0]) received[transfer.to] += transfer.size.count;
    }
    for (const double blocks : received) EXPECT_NEAR(blocks, ranks - 1.0, 1e-12) << ranks;
  }
}

TEST(RecursiveDoublingAllGather, TheBlocksThatArriveAreTheMissingOnes) {
  for (const std::uint32_t ranks : {3U, 5U, 8U, 12U}) {
    std::vector<std::set<std::uint32_t>> known(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) known[rank] = {rank};
    for (const Phase& phase : recursive_doubling_allgather({ranks, {1.0 * ranks}}).phases) {
      const auto before = known;
      for (const Transfer& transfer : phase.rounds[0]) {
        known[transfer.to].insert(before[transfer.from].begin(), before[transfer.from].end());
      }
    }
    for (const auto& blocks : known) EXPECT_EQ(blocks.size(), ranks) << ranks;
  }
}

TEST(NeighbourExchangeAllGather, SixRanksSendOneBlockAndThenTwoTwiceEachTimeToTheOtherNeighbour) {
  const Schedule schedule = neighbour_exchange_allgather({6, 60_MB});
  ASSERT_EQ(schedule.rounds(), 3U);
  const std::uint32_t receivers[] = {1, 5, 1};  // of rank 0
  const Bytes sizes[] = {10_MB, 20_MB, 20_MB};
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const Transfer& sent = schedule.phases[turn].rounds[0][0];
    EXPECT_EQ(sent.to, receivers[turn]) << turn;
    EXPECT_EQ(sent.size, sizes[turn]) << turn;
  }
  EXPECT_EQ(schedule.bytes(), 6 * 50_MB);
  EXPECT_NEAR(neighbour_exchange_allgather_time({6, 60_MB}, kLink).count, 0.003 + 0.5, 1e-15);
}

TEST(NeighbourExchangeAllGather, AnOddNumberOfRanksGoesRound) {  // 4 (1 ms + 0.1 s)
  EXPECT_EQ(neighbour_exchange_allgather({5, 50_MB}).rounds(), 4U);
  EXPECT_NEAR(neighbour_exchange_allgather_time({5, 50_MB}, kLink).count, 0.404, 1e-15);
}

}  // namespace
}  // namespace netmodels
