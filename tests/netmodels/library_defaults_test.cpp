// What libraries choose: figures by hand on both sides of their thresholds.
#include "netmodels/library_defaults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "netmodels/send_tree.hpp"

namespace netmodels {
namespace {

using namespace literals;

constexpr Bytes operator""_KiB(unsigned long long v) { return {static_cast<double>(v) * 1024}; }

constexpr double kLatency = 1e-3;
const LinkState kLine{{kLatency}, {1048576}};  // 1 MiB in 1 s

double by_default(std::string_view row, std::uint32_t ranks, Bytes size) {
  return (*find_collective(row))->closed({ranks, size}, kLine).count;
}

TEST(LibraryDefaults,
     OpenMpiBroadcastsLargeMessagesToEightRanksLinearly) {  // schedules.md: 7 M/B from 32 KiB
  EXPECT_NEAR(by_default("openmpi.broadcast", 8, 1_MiB), kLatency + 7, 1e-12);
  EXPECT_NEAR(by_default("openmpi.broadcast", 8, 32_KiB), kLatency + 7.0 / 32, 1e-12);
  // Binomial, in program order: measured 2.62 to 2.68 (alpha + M/B).
  EXPECT_NEAR(by_default("openmpi.broadcast", 8, 16_KiB), 3 * kLatency + 3.0 / 64, 6.0 / 1048576);
}

TEST(LibraryDefaults, OpenMpiBroadcastsToFourRanksLinearlyThenDownAChain) {
  EXPECT_NEAR(by_default("openmpi.broadcast", 4, 512_KiB), kLatency + 1.5, 1e-12);
  EXPECT_NEAR(by_default("openmpi.broadcast", 4, 1_MiB), 3 * (kLatency + 1), 1e-12);
}

TEST(LibraryDefaults, OpenMpiBroadcastsToThreeRanksDownAChainThenFromOneLink) {
  for (const auto& [size, trees] :
       {std::pair{131072.0, 0.25}, {262144.0, 0.5}, {524288.0, 1.0}, {1048576.0, 2.0}}) {
    const double latencies = size == 131072.0 ? 2 : 1;  // a chain, then one parent of two children
    EXPECT_NEAR(by_default("openmpi.broadcast", 3, {size}), latencies * kLatency + trees, 1e-12) << size;
  }
}

TEST(LibraryDefaults, OpenMpiBroadcastsToSixteenRanksBinomiallyThenScatters) {
  EXPECT_NEAR(by_default("openmpi.broadcast", 16, 512_KiB), 4 * kLatency + 5, 1e-12);
  EXPECT_NEAR(by_default("openmpi.broadcast", 16, 1_MiB), 8 * kLatency + 2 * 15.0 / 16, 1e-12);
}

TEST(LibraryDefaults, OpenMpiBroadcastsToSixtyFourRanksInGroupsOfFour) {  // 9, then 6, then 3 children
  EXPECT_NEAR(by_default("openmpi.broadcast", 64, 1_MiB), 3 * kLatency + 18, 1e-12);
}

TEST(LibraryDefaults, OpenMpiReducesLargeBuffersByRabenseifner) {
  const double rabenseifner = 6 * kLatency + 2 * 7.0 / 8;
  EXPECT_NEAR(by_default("openmpi.allreduce", 8, 1_MiB), rabenseifner, 1e-12);
  EXPECT_NEAR(by_default("openmpi.allreduce", 8, 4_KiB), 3 * (kLatency + 1.0 / 256), 1e-12);
  EXPECT_NEAR(by_default("mpich.allreduce", 8, 1_MiB), rabenseifner, 1e-12);
  EXPECT_NEAR(by_default("mpich.allreduce", 8, 8_B), 3 * (kLatency + 8.0 / 1048576), 1e-12);
  // From one value of 4 bytes for each of 8 ranks on, buffers are halved.
  EXPECT_NEAR(by_default("mpich.allreduce", 8, 28_B), 3 * (kLatency + 28.0 / 1048576), 1e-12);
  EXPECT_NEAR(by_default("mpich.allreduce", 8, 32_B), 6 * kLatency + 2 * 28.0 / 1048576, 1e-12);
}

TEST(LibraryDefaults,
     OpenMpiReducesAndBroadcastsSmallBuffersOfManyRanks) {  // 7 messages up, then its broadcast
  const double up = 7 * (kLatency + 1.0 / 16);
  EXPECT_NEAR(by_default("openmpi.allreduce", 128, 64_KiB), up + by_default("openmpi.broadcast", 128, 64_KiB),
              1e-12);
}

TEST(LibraryDefaults,
     OpenMpiReducesThenBroadcastsInFiveSixAndTenMessages) {  // measured 4.94 to 6.04, 9.9 to 10.05
  const LinkState line{{0}, kLine.bandwidth};
  EXPECT_NEAR(openmpi_reduce_broadcast_time({4, 64_KiB}, line).count, 5.0 / 16, 1e-12);
  EXPECT_NEAR(openmpi_reduce_broadcast_time({4, 256_KiB}, line).count, 6.0 / 4, 1e-12);
  EXPECT_NEAR(openmpi_reduce_broadcast_time({4, 1_MiB}, line).count, 6, 1e-12);
  EXPECT_NEAR(openmpi_reduce_broadcast_time({8, 1_MiB}, line).count, 10, 1e-12);
}

// 64 KiB: 2 messages up a tree; 256 KiB: 3 into one link; 1 MiB: 3 into one link. Eight: 3 up a tree.
TEST(LibraryDefaults, OpenMpiReducesUpATreeOrIntoOneLink) {
  EXPECT_NEAR(by_default("openmpi.reduce", 4, 64_KiB), 2 * (kLatency + 1.0 / 16), 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce", 4, 256_KiB), kLatency + 0.75, 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce", 4, 512_KiB), 2 * (kLatency + 0.5), 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce", 4, 1_MiB), kLatency + 3, 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce", 3, 1_MiB), 2 * (kLatency + 1), 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce", 8, 1_MiB), 3 * (kLatency + 1), 1e-12);
}

TEST(LibraryDefaults, MpichAndGlooReduceSharesAndGatherThem) {
  EXPECT_NEAR(by_default("mpich.reduce", 8, 2_KiB), 3 * (kLatency + 1.0 / 512), 1e-12);
  EXPECT_NEAR(by_default("mpich.reduce", 8, 1_MiB), 6 * kLatency + 2 * 7.0 / 8, 1e-12);
  EXPECT_NEAR(by_default("mpich.reduce", 6, 1_MiB), 5 * kLatency + 1 + 2 * 3.0 / 4, 1e-12);  // two hand in
  EXPECT_NEAR(by_default("gloo.reduce", 8, 1_MiB), 10 * kLatency + 2 * 7.0 / 8, 1e-12);      // 2 for notices
}

TEST(LibraryDefaults, NcclReducesUpTheChainThatItBroadcastsDown) {
  EXPECT_NEAR(by_default("nccl.reduce", 8, 1_MiB), 7 * kLatency + 8 * 0.5, 1e-12);
}

// Shares of 256 KiB, 16 KiB, 128 KiB and 8 KiB on four ranks; 1 MiB on eight; 4 KiB on 300.
TEST(LibraryDefaults, OpenMpiGathersUpATreeOrAllAtOnce) {
  EXPECT_NEAR(by_default("openmpi.gather", 4, 1_MiB), kLatency + 0.75, 1e-12);
  EXPECT_NEAR(by_default("openmpi.gather", 4, 64_KiB), 2 * kLatency + 0.75 / 16, 1e-12);
  EXPECT_NEAR(by_default("openmpi.gather", 8, 8_MiB), 3 * kLatency + 7, 1e-12);
  EXPECT_NEAR(by_default("openmpi.gather", 300, {300 * 4096.0}), kLatency + 299.0 / 256, 1e-9);
  EXPECT_NEAR(by_default("openmpi.gather", 3, {3 * 65536.0}), 2 * kLatency + 2.0 / 16, 1e-12);
}

TEST(LibraryDefaults, OpenMpiScattersDownATreeOrAllAtOnce) {
  EXPECT_NEAR(by_default("openmpi.scatter", 4, 16_KiB), 2 * kLatency + 0.75 / 64, 1e-12);  // shares of 4 KiB
  EXPECT_NEAR(by_default("openmpi.scatter", 4, 1_MiB), kLatency + 0.75, 1e-12);
  EXPECT_NEAR(by_default("openmpi.scatter", 8, 64_KiB), 3 * kLatency + 7.0 / 128, 1e-12);
  EXPECT_NEAR(by_default("openmpi.scatter", 8, 1_MiB), kLatency + 7.0 / 8, 1e-12);
  EXPECT_NEAR(by_default("openmpi.scatter", 32, {32 * 8192.0}), 5 * kLatency + 31.0 / 128, 1e-12);
  EXPECT_NEAR(by_default("openmpi.scatter", 64, {64 * 8192.0}), kLatency + 63.0 / 128, 1e-12);
}

TEST(LibraryDefaults, MpichGathersAndScattersByTreesAndGlooAllAtOnce) {
  for (const char* operation : {"gather", "scatter"}) {
    EXPECT_NEAR(by_default(std::string("mpich.") + operation, 8, 8_MiB), 3 * kLatency + 7, 1e-12);
    EXPECT_NEAR(by_default(std::string("gloo.") + operation, 8, 8_MiB), 2 * kLatency + 7, 1e-12);
  }
}

TEST(LibraryDefaults, MpichBroadcastsBinomiallyBelowEightRanks) {
  EXPECT_NEAR(by_default("mpich.broadcast", 4, 1_MiB), 2 * kLatency + 2.5, 1e-12);
  EXPECT_NEAR(by_default("mpich.broadcast", 8, 12288_B), 3 * kLatency + 6 * 12.0 / 1024, 1e-12);
}

TEST(LibraryDefaults, MpichScattersToEightRanksAndGathersByDoublingThenByARing) {
  EXPECT_NEAR(by_default("mpich.broadcast", 8, 512_KiB), 6 * kLatency + 7.0 / 8, 1e-12);
  EXPECT_NEAR(by_default("mpich.broadcast", 8, 1_MiB), 10 * kLatency + 2 * 7.0 / 8, 1e-12);
}

TEST(LibraryDefaults, MpichGathersLargeTotalsAroundARing) {
  EXPECT_NEAR(by_default("mpich.allgather", 8, 1_MiB), 7 * kLatency + 7.0 / 8, 1e-12);
  EXPECT_NEAR(by_default("mpich.allgather", 8, 256_KiB), 3 * kLatency + 7.0 / 32, 1e-12);
  EXPECT_NEAR(by_default("mpich.allgather", 6, 80_KiB), 5 * (kLatency + 80.0 / 1024 / 6), 1e-12);
}

TEST(LibraryDefaults, GlooBroadcastsToAllChildrenAtOnceAndReducesAroundARing) {
  EXPECT_NEAR(by_default("gloo.broadcast", 8, 1_MiB), 4 * kLatency + 6, 1e-12);
  EXPECT_NEAR(by_default("gloo.allreduce", 8, 1_MiB), 16 * kLatency + 2 * 7.0 / 8, 1e-12);
}

TEST(LibraryDefaults, NcclBroadcastsInPiecesOfHalfAMebibyte) {  // 7 hops; 2 + 6 pieces
  EXPECT_NEAR(by_default("nccl.broadcast", 8, 1_MiB), 7 * kLatency + (6 + 2) * 0.5, 1e-12);
}

TEST(LibraryDefaults, EveryLibraryHasABroadcastAndNoneTwoOfAKind) {
  for (const std::string_view library : libraries()) {
    const Collective* row = find_default(library, CollectiveKind::broadcast);
    ASSERT_NE(row, nullptr) << library;
    EXPECT_EQ(row->name, std::string(library) + ".broadcast");
    for (const Collective& each : collectives()) {
      if (each.library != library) continue;
      EXPECT_EQ(find_default(library, each.kind), &each) << each.name;
    }
  }
  EXPECT_EQ(find_default("", CollectiveKind::broadcast), nullptr);
  EXPECT_EQ(find_default("gloo", CollectiveKind::reduce_scatter), nullptr);
}

std::vector<std::string_view> names_of(std::string_view library, CollectiveKind kind,
                                       bool two_level = false) {
  std::vector<std::string_view> names;
  for (const Collective* row : rows_of(library, kind, two_level)) names.push_back(row->name);
  return names;
}

TEST(LibraryDefaults, AKindRunsByTheLibrarysOwnRowsOrByAnyAlgorithm) {
  using ::testing::ElementsAre;
  const auto all = names_of("", CollectiveKind::all_reduce);
  EXPECT_THAT(all, ::testing::Contains("halving_doubling_allreduce"));
  EXPECT_THAT(all, ::testing::Not(::testing::Contains("hierarchical_allreduce")));
  EXPECT_THAT(names_of("", CollectiveKind::all_reduce, true), ::testing::Contains("hierarchical_allreduce"));
  EXPECT_THAT(all, ::testing::Not(::testing::Contains("gloo.allreduce")));
  EXPECT_THAT(names_of("gloo", CollectiveKind::all_reduce, true), ElementsAre("gloo.allreduce"));
  for (const std::string_view library : {"nccl", "rccl"}) {
    EXPECT_THAT(names_of(library, CollectiveKind::all_reduce, true),
                ElementsAre("ring_allreduce", "double_binary_tree_allreduce"));
    EXPECT_THAT(names_of(library, CollectiveKind::all_gather, true), ElementsAre("ring_allgather"));
  }
  EXPECT_THAT(names_of("nccl", CollectiveKind::broadcast), ElementsAre("nccl.broadcast"));
  EXPECT_EQ(names_of("gloo", CollectiveKind::reduce_scatter), names_of("", CollectiveKind::reduce_scatter));
}

TEST(LibraryDefaults, OpenMpiGathersByDoublingUpToThirtyOneRanksThenBetweenNeighboursOrAroundARing) {
  EXPECT_NEAR(by_default("openmpi.allgather", 31, 31_MiB), 5 * kLatency + 30, 1e-9);
  EXPECT_NEAR(by_default("openmpi.allgather", 32, {32 * 512.0}), 5 * kLatency + 31.0 / 2048, 1e-12);
  EXPECT_NEAR(by_default("openmpi.allgather", 32, 32_KiB), 16 * kLatency + 31.0 / 1024, 1e-12);
  EXPECT_NEAR(by_default("openmpi.allgather", 32, 2_MiB), 31 * (kLatency + 1.0 / 16), 1e-12);
  EXPECT_NEAR(by_default("openmpi.allgather", 64, {64 * 256.0}), 6 * kLatency + 63.0 / 4096, 1e-12);
  EXPECT_NEAR(by_default("openmpi.allgather", 64, {64 * 512.0}), 32 * kLatency + 63.0 / 2048, 1e-12);
}

TEST(LibraryDefaults, ReduceScattersHalveSmallBuffersAndPassLargeOnesAround) {
  EXPECT_NEAR(by_default("openmpi.reduce_scatter", 8, 128_KiB), 3 * kLatency + 7.0 / 64, 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce_scatter", 8, 256_KiB), 7 * (kLatency + 1.0 / 32), 1e-12);
  EXPECT_NEAR(by_default("openmpi.reduce_scatter", 3, 32_KiB), 2 * (kLatency + 1.0 / 96), 1e-12);
  EXPECT_NEAR(by_default("mpich.reduce_scatter", 8, 256_KiB), 3 * kLatency + 7.0 / 32, 1e-12);
  EXPECT_NEAR(by_default("mpich.reduce_scatter", 8, 512_KiB), 7 * (kLatency + 1.0 / 16), 1e-12);
}

/// Six ranks: two hand in their buffers, four halve twice, two get their sixth back.
TEST(LibraryDefaults, RecursiveHalvingOfSixRanksFoldsTwo) {
  EXPECT_NEAR(by_default("recursive_halving_reduce_scatter", 6, 6_MiB), 4 * kLatency + 6 * 0.75 + 6 + 1,
              1e-12);
}

}  // namespace
}  // namespace netmodels
