// Pieces of time over size, and the collectives that they show.
#include "netmodels/measured_collective.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace netmodels {

// Time over size in pieces.

namespace {

TEST(Segments, EachSizeIsOfThePieceThatItFallsInto) {  // by hand
  const SegmentModel model{
      {{Bytes{1000}, Seconds{2}, TimePerByte{0.001}}, {Bytes{}, Seconds{3}, TimePerByte{0.0005}}}};
  EXPECT_DOUBLE_EQ(predict(model, Bytes{500}).count, 2.5);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{1000}).count, 3);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{2000}).count, 4);
  EXPECT_DOUBLE_EQ(predict(model, Bytes{2e6}).count, 1003);
}

}  // namespace

// Which measured row is used for which collective.

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
