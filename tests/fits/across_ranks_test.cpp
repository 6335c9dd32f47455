// Models over ranks: a ring is found again on held-out ranks, and what predicts left-out ranks better is
// chosen.
#include "calibrate/fits/across_ranks.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "netmodels/ring.hpp"

namespace calibrate::fits {
namespace {

/// 20 us, and a ring of 5 us and 10 GB/s links.
measurements::Measurements ring_table(const char* operation, std::uint32_t ranks) {
  measurements::Measurements table;
  table.operation = *measurements::find_operation(operation);
  table.ranks = static_cast<int>(ranks);
  const bool reduces = table.operation->name == "all_reduce";
  for (double size = 1e3; size < 1e9; size *= 3) {
    const netmodels::Operation exchange{ranks, {size}};
    const netmodels::LinkState link{{5e-6}, {1e10}};
    const auto ring = reduces ? netmodels::ring_allreduce_time(exchange, link)
                              : netmodels::ring_allgather_time(exchange, link);
    table.points.push_back({{size}, netmodels::Seconds{20e-6} + ring});
  }
  return table;
}

TEST(AcrossRanks, RingIsFoundAgainOnRanksThatWereNotSeen) {
  for (const char* operation : {"all_reduce", "all_gather"}) {
    const auto model = fit_across_ranks(std::vector{ring_table(operation, 2), ring_table(operation, 8)});
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_NEAR(model->per_step.count, 5e-6, 1e-8);
    for (const auto& point : ring_table(operation, 16).points)
      EXPECT_NEAR(predict(*model, 16, point.size) / point.time, 1, 1e-3);
  }
}

TEST(AcrossRanks, OneNumberOfRanksOrMixedCollectivesAreRefused) {
  EXPECT_EQ(fit_across_ranks(std::vector{ring_table("all_reduce", 2)}).error().text(),
            "1 number of ranks cannot determine the dependence on ranks; give tables on at least two");
  EXPECT_EQ(
      fit_across_ranks(std::vector{ring_table("all_reduce", 2), ring_table("all_gather", 4)}).error().text(),
      "mixed collectives: all_reduce and all_gather; fit each by itself");
}

TEST(LargestTable, IsScaledByTheBytesOnTheBusiestLink) {  // by hand: f(2) = 1, f(4) = 1.5
  measurements::Measurements four = ring_table("all_reduce", 4);
  four.points = {{{1e6}, {1e-3}}, {{2e6}, {3e-3}}, {{4e6}, {4e-3}}};
  measurements::Measurements two = four;
  two.ranks = 2;
  two.points = {{{1e6}, {1}}};
  const auto largest = largest_table_of(std::vector{two, four});
  ASSERT_TRUE(largest) << largest.error().text();
  EXPECT_EQ(largest->ranks, 4);
  EXPECT_NEAR(predict(*largest, 4, {3e6}).count, 3.5e-3, 1e-12);
  EXPECT_NEAR(predict(*largest, 2, {3e6}).count, 3e-3, 1e-12);     // as 2 MB on 4
  EXPECT_NEAR(predict(*largest, 2, {2.25e6}).count, 2e-3, 1e-12);  // as 1.5 MB on 4
  four.points.pop_back();
  EXPECT_EQ(largest_table_of(std::vector{two, four}).error().text(),
            "2 sizes on 4 ranks are too few; measure at least 3");
}

TEST(ChooseAcrossRanks, ARingIsTakenForARing) {
  const auto chosen = choose_across_ranks(
      std::vector{ring_table("all_reduce", 2), ring_table("all_reduce", 4), ring_table("all_reduce", 8)});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_EQ(name_of(*chosen), "ring");
  EXPECT_LT(*chosen->held_out, 1e-3);
}

/// Two protocols, which no ring follows: 10 us up to 100 kB on the busiest link, 1 ms and 1 ns per byte
/// beyond.
measurements::Measurements two_protocols(int ranks) {
  measurements::Measurements table = ring_table("all_reduce", 2);
  table.ranks = ranks;
  for (measurements::MeasuredPoint& point : table.points) {
    const double bytes = point.size.count * measurements::bus_factor(*table.operation, ranks);
    point.time = {bytes <= 1e5 ? 1e-5 : 1e-3 + bytes * 1e-9};
  }
  return table;
}

TEST(ChooseAcrossRanks, TheLargestTableIsTakenWhereNoRingFitsOrNothingCanBeCompared) {
  const auto chosen = choose_across_ranks(
      std::vector{two_protocols(2), two_protocols(3), two_protocols(4), two_protocols(8)});
  ASSERT_TRUE(chosen) << chosen.error().text();
  EXPECT_EQ(name_of(*chosen), "largest table");
  EXPECT_TRUE(chosen->held_out);
  const auto of_two =
      choose_across_ranks(std::vector{ring_table("all_reduce", 2), ring_table("all_reduce", 4)});
  ASSERT_TRUE(of_two) << of_two.error().text();
  EXPECT_EQ(name_of(*of_two), "largest table");
  EXPECT_EQ(of_two->held_out, std::nullopt);
}

}  // namespace
}  // namespace calibrate::fits
