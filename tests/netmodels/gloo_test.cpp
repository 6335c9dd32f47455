// Gloo's collectives: figures by hand, measured ones over shaped links, and the longest path on random links.
#include "netmodels/gloo.hpp"

#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "netmodels/path.hpp"
#include "tests/netmodels/star.hpp"

namespace netmodels {
namespace {

using namespace literals;

constexpr Bytes operator""_MiB(unsigned long long v) { return {static_cast<double>(v) * 1048576}; }

/// A mebibyte takes so many milliseconds.
LinkState link_of(double latency_ms, double mebibyte_ms) {
  return {{latency_ms * 1e-3}, 1_MiB / Seconds{mebibyte_ms * 1e-3}};
}

double milliseconds(Seconds time) { return time.count * 1e3; }

TEST(Gloo, TwoRanksSendTwoSegmentsEachWayAfterOneNotice) {  // 1 notice, 1 delay, 2 segments of 2 ms; twice
  EXPECT_NEAR(milliseconds(gloo_allreduce_time({2, 4_MiB}, link_of(1, 2))), 2 * (1 + 1 + 2 * 2), 1e-9);
}

TEST(Gloo, OverAFarLinkTwoSegmentsWaitForANoticeAndADelay) {  // 2 x 64 segments: 10 ms + 10 ms + 8 ms for two
  const double first = 10 + 10 + 8 + 8;
  EXPECT_NEAR(milliseconds(gloo_allreduce_time({3, 96_MiB}, link_of(10, 8))), 2 * (first + 31 * 28), 1e-9);
}

TEST(Gloo, ANoticeLeavesAfterTheDataThatItsRankHasSent) {  // 1 ms + 8 ms for a notice, 8 ms + 8 ms for data
  const double first = 1 + 1 + 8 + 8;
  EXPECT_NEAR(milliseconds(gloo_allreduce_time({3, 96_MiB}, link_of(1, 8))), 2 * (first + 31 * 17), 1e-9);
}

TEST(Gloo, SegmentsAreAtMostAMebibyteAndAtLeastTwoOfAShare) {
  const auto messages = [](Bytes size) { return gloo_allreduce({4, size}).messages(); };
  EXPECT_EQ(messages({1}),
            2U * 2 * 4 * 3 * 2);  // notice and segment, both halves, 4 ranks, 3 shares, 2 of each
  EXPECT_EQ(messages(8_MiB), 2U * 2 * 4 * 3 * 2);
  EXPECT_EQ(messages(8_MiB + 1_B), 2U * 2 * 4 * 3 * 3);
  EXPECT_NEAR(gloo_allreduce({4, 9_MiB}).bytes().count, (9_MiB).count * 2 * 3, 1e-3);
}

TEST(Gloo, AnOddSegmentComesAlone) {  // 3 segments of a share, from one rank to the other: 3 of 1 ms
  const double three = 1 + 1 + 1 + (1 + 1 + 1);
  EXPECT_NEAR(milliseconds(gloo_allreduce_time({2, 6_MiB}, link_of(1, 1))), 2 * three, 1e-9);
}

TEST(Gloo, AReductionSendsAllSharesButTwoSegmentsRoundTheRing) {  // 4 x 8 - 2 segments, then 3 shares
  const double ring = 10 + 10 + 1 + 1 + 14 * 21;
  EXPECT_NEAR(milliseconds(gloo_reduce_time({4, 32_MiB}, link_of(10, 1))), ring + 2 * 10 + 3 * 8, 1e-9);
  EXPECT_NEAR(gloo_reduce({4, 32_MiB}).bytes().count, (1_MiB).count * (4 * 30 + 3 * 8), 1e-3);
}

TEST(Gloo, TreesWaitForOneNotice) {  // 64 MiB on 4 ranks: 3 times the buffer, or 3 shares
  EXPECT_NEAR(milliseconds(gloo_broadcast_time({4, 64_MiB}, link_of(10, 1))), 3 * 10 + 3 * 64, 1e-9);
  EXPECT_NEAR(milliseconds(gloo_gather_time({4, 64_MiB}, link_of(10, 1))), 2 * 10 + 3 * 16, 1e-9);
  EXPECT_NEAR(milliseconds(gloo_scatter_time({4, 64_MiB}, link_of(10, 1))), 2 * 10 + 3 * 16, 1e-9);
}

TEST(Gloo, TimesAreThoseMeasuredOverShapedLinks) {  // tests/data/mpi_live/sym_delay.csv: 4 ranks, 5 ms
  const auto link = [](double megabits) { return LinkState{5_ms, {megabits * 125e3 * 1448 / 1514}}; };
  const auto expect_near = [](Seconds predicted, double measured_us, double share) {
    EXPECT_NEAR(predicted.count * 1e6 / measured_us, 1, share);
  };
  expect_near(gloo_allreduce_time({4, {4096}}, link(100)), 62245.8, .04);
  expect_near(gloo_allreduce_time({4, {65536}}, link(100)), 66768.1, .04);
  expect_near(gloo_allreduce_time({4, 1_MiB}, link(100)), 164887.3, .05);
  expect_near(gloo_allreduce_time({4, 4_MiB}, link(100)), 559221.1, .02);
  expect_near(gloo_allgather_time({4, {4 * 4.0}}, link(100)), 31176.1, .04);
  expect_near(gloo_allgather_time({4, {4 * 65536.0}}, link(100)), 41872.5, .03);
  expect_near(gloo_allgather_time({4, 4_MiB}, link(100)), 279697.9, .02);
  expect_near(gloo_allgather_time({4, 16_MiB}, link(100)), 1089046.8, .02);
  expect_near(gloo_broadcast_time({4, {4}}, link(100)), 15687.6, .05);
  expect_near(gloo_broadcast_time({4, 1_MiB}, link(100)), 278357.4, .01);
  expect_near(gloo_broadcast_time({4, 4_MiB}, link(100)), 1067986.9, .01);
}

TEST(Gloo, TheLongestPathIsTheClosedFormOnRandomLinks) {
  std::mt19937_64 random(1);
  const auto power_of_two = [&](double from, double to) {
    return std::exp2(std::uniform_real_distribution<>(from, to)(random));
  };
  for (int draw = 0; draw < 300; ++draw) {
    const Operation operation{1 + static_cast<std::uint32_t>(random() % 12), {power_of_two(0, 28)}};
    const LinkState link{{power_of_two(-20, -3)}, {power_of_two(20, 33)}};
    const testing::Star star{operation.ranks, link};
    for (const char* name : {"gloo.allreduce", "gloo.allgather", "gloo.reduce", "gloo.broadcast"}) {
      const Collective& row = **find_collective(name);
      const auto path = RoutedSchedule(row.schedule(operation), star.routes()).evaluate(star.state());
      const bool to_one_rank = row.kind == CollectiveKind::reduce || row.kind == CollectiveKind::broadcast;
      ASSERT_EQ(path.has_value(), !(to_one_rank && operation.ranks > 2)) << name << " on " << operation.ranks;
      if (!path) continue;
      const double expected = row.closed(operation, link).count;
      ASSERT_NEAR(path->duration.count, expected, 1e-9 * expected)
          << name << " of " << print(operation.size) << " on " << operation.ranks;
    }
  }
}

TEST(Gloo, ABufferThatNeedsOneSegmentMoreTakesNoLessTime) {
  std::mt19937_64 random(2);
  for (int draw = 0; draw < 300; ++draw) {
    const std::uint32_t ranks = 2 + static_cast<std::uint32_t>(random() % 8);
    const Bytes whole = 1_MiB * (1.0 * ranks * static_cast<double>(2 + random() % 20));
    const LinkState link = link_of(std::exp2(random() % 16) * 1e-3, std::exp2(random() % 8));
    EXPECT_LE(gloo_allreduce_time({ranks, whole}, link), gloo_allreduce_time({ranks, whole + 1_B}, link));
    EXPECT_LE(gloo_reduce_time({ranks, whole}, link), gloo_reduce_time({ranks, whole + 1_B}, link));
  }
}

TEST(Gloo, TheLargestBuffersAreFinite) {
  const LinkState link = link_of(1, 1);
  EXPECT_TRUE(std::isfinite(gloo_allreduce_time({most_ranks, {1e300}}, link).count));
  EXPECT_GT(gloo_reduce({2, {1e300}}).messages(), 0U);
}

}  // namespace
}  // namespace netmodels
