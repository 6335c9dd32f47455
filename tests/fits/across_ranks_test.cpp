// The ring model over ranks: fitted to a ring's own times, it predicts held-out ranks.
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

}  // namespace
}  // namespace calibrate::fits
