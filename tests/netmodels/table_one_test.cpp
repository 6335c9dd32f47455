// The printed forms: figures by hand, also where the logarithm is no whole number.
#include "netmodels/table_one.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;

using netmodels::testing::kLink;
constexpr Operation kSix{6, 10_MB};

TEST(TableOne, SixRanksByHand) {  // M/B is 0.1 s, log2 6 is not rounded up
  EXPECT_NEAR(table_one_parameter_server_time(kSix, kLink).count, 0.002 + 1.0, 1e-15);
  EXPECT_NEAR(table_one_ring_time(kSix, kLink).count, 0.010 + 10 * 0.1 / 6, 1e-15);
  EXPECT_NEAR(table_one_tree_time(kSix, kLink).count, 2 * std::log2(6.0) * 0.101, 1e-15);
  EXPECT_NEAR(table_one_broadcast_time(kSix, kLink).count, std::log2(6.0) * 0.101, 1e-15);
  EXPECT_NEAR(table_one_allgather_time(kSix, kLink).count, std::log2(6.0) * 0.001 + 0.5, 1e-15);
}

TEST(TableOne, OneRankIsFreeBesideTheParameterServersLatencies) {
  const Operation one{1, 10_MB};
  EXPECT_EQ(table_one_parameter_server_time(one, kLink), 2_ms);
  EXPECT_EQ(table_one_ring_time(one, kLink), Seconds{});
  EXPECT_EQ(table_one_tree_time(one, kLink), Seconds{});
  EXPECT_EQ(table_one_broadcast_time(one, kLink), Seconds{});
  EXPECT_EQ(table_one_allgather_time(one, kLink), Seconds{});
}

TEST(TableOne, TheTreeIsTwoBroadcasts) {
  for (const std::uint32_t ranks : {2U, 3U, 8U, 100U}) {
    const Operation operation{ranks, 10_MB};
    EXPECT_EQ(table_one_tree_time(operation, kLink), 2 * table_one_broadcast_time(operation, kLink));
  }
}

TEST(TableOne, TheRingBeatsTheParameterServerByItsRanksWhereLatencyIsNothing) {
  const LinkState free{{}, {100e6}};
  EXPECT_NEAR(table_one_parameter_server_time(kSix, free) / table_one_ring_time(kSix, free), 6, 1e-12);
}

}  // namespace
}  // namespace netmodels
