// Which measured row stands for which collective.
#include "netmodels/measured_collective.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace netmodels {
namespace {

MeasuredCollective collective_row(CollectiveKind kind, std::uint32_t ranks,
                                  std::optional<std::uint32_t> nodes) {
  return {
      .kind = kind, .ranks = ranks, .nodes = nodes, .smallest = Bytes{8}, .largest = Bytes{64}, .times = {}};
}

TEST(MeasuredCollectives, KindRanksAndNodesMustFit) {
  using enum CollectiveKind;
  const std::vector<MeasuredCollective> rows{collective_row(all_reduce, 8, 1),
                                             collective_row(all_reduce, 8, 2),
                                             collective_row(all_gather, 4, std::nullopt)};
  EXPECT_EQ(find_measured(rows, all_reduce, 8, 1), &rows[0]);
  EXPECT_EQ(find_measured(rows, all_reduce, 8, 2), &rows[1]);
  EXPECT_EQ(find_measured(rows, all_reduce, 8, 4), nullptr);
  EXPECT_EQ(find_measured(rows, all_reduce, 4, 1), nullptr);
  EXPECT_EQ(find_measured(rows, all_gather, 4, 3), &rows[2]);
  EXPECT_EQ(find_measured(rows, broadcast, 8, 1), nullptr);
}

TEST(MeasuredCollectives, CoverFromTheSmallestToTheLargestSize) {
  const MeasuredCollective measured = collective_row(CollectiveKind::all_reduce, 2, 1);
  EXPECT_FALSE(measured.covers(Bytes{7}));
  EXPECT_TRUE(measured.covers(Bytes{8}));
  EXPECT_TRUE(measured.covers(Bytes{64}));
  EXPECT_FALSE(measured.covers(Bytes{65}));
}

}  // namespace
}  // namespace netmodels
