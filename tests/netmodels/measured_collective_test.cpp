// Pieces of time over size, and the collectives that they show.
#include "netmodels/measured_collective.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "netmodels/group_collectives.hpp"
#include "netmodels/node_collectives.hpp"

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

SegmentModel between(Interpolation interpolation) {
  return {{{Bytes{}, Seconds{1}, TimePerByte{0.01}}},
          interpolation,
          {{Bytes{100}, Seconds{4}}, {Bytes{400}, Seconds{1}}}};
}

TEST(Interpolations, LinesAndPowerLawsPassThroughTheNeighbouringSizes) {  // by hand
  for (const Interpolation each : {Interpolation::lines, Interpolation::log_lines}) {
    EXPECT_DOUBLE_EQ(predict(between(each), Bytes{100}).count, 4);
    EXPECT_DOUBLE_EQ(predict(between(each), Bytes{400}).count, 1);
  }
  EXPECT_DOUBLE_EQ(predict(between(Interpolation::lines), Bytes{200}).count, 3);      // 4 - 3 / 3
  EXPECT_DOUBLE_EQ(predict(between(Interpolation::log_lines), Bytes{200}).count, 2);  // 4 * (200/100)^-1
}

TEST(Interpolations, BeyondThePointsThePiecesAreScaledToMeetThem) {               // by hand: 1 + 0.01 * size
  EXPECT_DOUBLE_EQ(predict(between(Interpolation::lines), Bytes{50}).count, 3);   // 1.5 * 4 / 2
  EXPECT_DOUBLE_EQ(predict(between(Interpolation::lines), Bytes{900}).count, 2);  // 10 * 1 / 5
  SegmentModel nothing = between(Interpolation::lines);
  nothing.segments.front() = {};
  EXPECT_DOUBLE_EQ(predict(nothing, Bytes{50}).count, 4);
}

TEST(Interpolations, NeedTheirPointsAndSegmentsNone) {
  SegmentModel model;
  EXPECT_FALSE(problem_with_points(model));
  model.points = {{{1}, {1}}, {{2}, {2}}};
  EXPECT_EQ(problem_with_points(model)->text(),
            "`points` are given, and segments interpolate; write `interpolation: lines` or `log_lines`, or "
            "leave out `points`");
  model.interpolation = Interpolation::lines;
  EXPECT_FALSE(problem_with_points(model));
  std::swap(model.points[0], model.points[1]);
  EXPECT_EQ(problem_with_points(model)->text(),
            "the sizes of `points` do not increase; write the smallest first, each once");
  model.points.resize(1);
  EXPECT_EQ(problem_with_points(model)->text(), "`lines` interpolate between 1 `points`; write at least 2");
}

TEST(Interpolations, AreFoundByTheirWords) {
  for (const char* word : {"segments", "lines", "log_lines"})
    EXPECT_EQ(to_string(*find_interpolation(word)), word);
  EXPECT_EQ(
      find_interpolation("log_line").error().text(),
      "unknown interpolation `log_line`; did you mean `log_lines`? accepted: segments, lines, log_lines");
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

TEST(MeasuredCollectives, AreOfRowsOfTheTableAndOfGathersAndSumsWithinNodes) {
  using enum CollectiveKind;
  const std::vector<MeasuredCollective> rows{
      collective_row(all_reduce, 8, 2), collective_row(all_gather, 8, 2),
      collective_row(reduce_scatter, 8, 2), collective_row(all_gather, 4, 1),
      collective_row(reduce_scatter, 4, 1)};
  EXPECT_EQ(find_measured(rows, **find_collective("ring_allreduce"), 8, 2), &rows[0]);
  EXPECT_EQ(find_measured(rows, **find_collective("ring_allgather"), 8, 2), &rows[1]);
  EXPECT_EQ(find_measured(rows, node_gather, 8, 2), &rows[3]);
  EXPECT_EQ(find_measured(rows, node_scatter, 8, 2), &rows[4]);
  for (const Collective* row : {&node_replicas, &node_shares, &node_exchange, &exchange_of_all,
                                &exchange_of_nodes, &group_all_reduce, &group_exchange})
    EXPECT_EQ(find_measured(rows, *row, 8, 2), nullptr) << row->name;
}

TEST(MeasuredCollectives, CoverFromTheSmallestToTheLargestSize) {
  const MeasuredCollective measured = collective_row(CollectiveKind::all_reduce, 2, 1);
  EXPECT_FALSE(measured.covers(Bytes{7}));
  EXPECT_TRUE(measured.covers(Bytes{8}));
  EXPECT_TRUE(measured.covers(Bytes{64}));
  EXPECT_FALSE(measured.covers(Bytes{65}));
}

TEST(MeasuredCollectives, ErrorsGrowWithEachDoublingBeyondTheMeasuredSizes) {  // by hand
  MeasuredCollective measured = collective_row(CollectiveKind::all_reduce, 2, 1);
  measured.p90_error = 0.1;
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{8}), 0.1);
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{64}), 0.1);
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{128}), 0.2);
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{512}), 0.4);
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{2}), 0.3);
  EXPECT_DOUBLE_EQ(measured.error_at(Bytes{0}), 0.4);  // as 1 byte
}

TEST(MeasuredCollectives, MoreThanHundredTimesBeyondIsRefused) {
  MeasuredCollective measured = collective_row(CollectiveKind::all_reduce, 2, 1);
  measured.smallest = Bytes{1000};
  measured.largest = Bytes{64000};
  EXPECT_TRUE(check_extrapolation(measured, Bytes{10}));
  EXPECT_TRUE(check_extrapolation(measured, Bytes{6.4e6}));
  EXPECT_EQ(
      check_extrapolation(measured, Bytes{9}).error().text(),
      "cluster.collective_times: all-reduce of 9 B on 2 ranks is 111 times beyond the measured sizes, 1 kB "
      "to "
      "64 kB; measure sizes nearer to it, or write `cluster.extrapolate: true` to go more than 100 times "
      "beyond");
  EXPECT_EQ(check_extrapolation(measured, Bytes{12.8e6}).error().what,
            "all-reduce of 12.8 MB on 2 ranks is 200 times beyond the measured sizes, 1 kB to 64 kB");
}

}  // namespace
}  // namespace netmodels
