// Collectives of evenly spaced groups: messages and closed forms by hand, and as other rows have them.
#include "netmodels/group_collectives.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "netmodels/ring.hpp"
#include "netmodels/two_level.hpp"
#include "tests/netmodels/slow_link.hpp"

namespace netmodels {
namespace {

using namespace literals;
using netmodels::testing::kLink;

/// Ranks 0, 2 of each 4, and 1, 3.
Operation every_second_of_eight() { return {.ranks = 8, .size = 20_MB, .group = 2, .members = 2}; }

std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_of(const Round& round) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (const Transfer& message : round) ends.emplace_back(message.from, message.to);
  return ends;
}

TEST(GroupCollectives, AllGroupsExchangeSideBySide) {
  const Schedule schedule = group_all_gather.schedule(every_second_of_eight());
  EXPECT_EQ(schedule.ranks, 8U);
  EXPECT_EQ(ends_of(schedule.phases.at(0).rounds.at(0)),
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                {0, 2}, {2, 0}, {1, 3}, {3, 1}, {4, 6}, {6, 4}, {5, 7}, {7, 5}}));
  EXPECT_EQ(schedule.bytes(), 8 * 10_MB);  // each rank sends its half once
}

TEST(GroupCollectives, ClosedFormsAreThoseOfAGroup) {  // 10 MB at 100 MB/s and 1 ms a round
  const Operation operation = every_second_of_eight();
  EXPECT_NEAR(group_all_reduce.closed(operation, kLink).count, 2 * 0.101, 1e-12);
  EXPECT_NEAR(group_all_gather.closed(operation, kLink).count, 0.101, 1e-12);
  EXPECT_NEAR(group_reduce_scatter.closed(operation, kLink).count, 0.101, 1e-12);
  EXPECT_NEAR(group_exchange.closed(operation, kLink).count, 0.101, 1e-12);
  EXPECT_NEAR(group_broadcast.closed(operation, kLink).count, 0.201, 1e-12);  // a chain of two
}

TEST(GroupCollectives, AShiftIsOneMessageOfEachRank) {
  const Operation on{.ranks = 8, .size = 20_MB, .group = 2, .members = 4, .shift = 3};
  EXPECT_NEAR(group_shift.closed(on, kLink).count, 0.201, 1e-12);
  const Schedule schedule = group_shift.schedule(on);
  EXPECT_EQ(ends_of(schedule.phases.at(0).rounds.at(0)),
            (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                {0, 6}, {2, 0}, {4, 2}, {6, 4}, {1, 7}, {3, 1}, {5, 3}, {7, 5}}));
  EXPECT_EQ(schedule.bytes(), 8 * 20_MB);
}

TEST(GroupCollectives, OneGroupOfAllRanksIsAPlainRing) {
  const Operation all{.ranks = 6, .size = 30_MB, .group = 1, .members = 6};
  EXPECT_EQ(group_all_reduce.closed(all, kLink), ring_allreduce_time({6, 30_MB}, kLink));
  EXPECT_EQ(group_all_reduce.schedule(all).messages(), ring_allreduce({6, 30_MB}).messages());
}

TEST(GroupCollectives, ConsecutiveRanksAreANode) {
  const Operation consecutive{.ranks = 8, .size = 30_MB, .group = 1, .members = 4};
  EXPECT_EQ(group_exchange.closed(consecutive, kLink), node_allgather_time({8, 30_MB, 4}, kLink));
  EXPECT_EQ(group_all_gather.schedule(consecutive).bytes(), node_allgather({8, 30_MB, 4}).bytes());
}

}  // namespace
}  // namespace netmodels
