// Files of fits: what is read of them, and errors with their place.
#include <gtest/gtest.h>

#include "sim/inputs/input_files.hpp"
#include "tests/scenario/scenario_text.hpp"
#include "tests/source_tree.hpp"

namespace sim::scenario {
namespace {

std::string fit(const std::string& collective, const std::string& segments,
                const std::string& size = "buffer") {
  return "  - {collective: " + collective + ", ranks: 4, size: " + size +
         ", measured_sizes: 9, smallest_size: 1 kB, largest_size: 1 MB, mean_error: "
         "2 %, "
         "median_error: 1 %, p90_error: 5 %, worst_error: 9 %, bias: -1 %, segments: [" +
         segments + "]}\n";
}

const std::string one = "{latency: 10 us, time_per_megabyte: 1 ms}";

std::string collective_times_error(const std::string& text) {
  const tests::ScratchFolder scratch;
  const auto rows = inputs::read_collective_times(scratch.write("f.yaml", text));
  if (rows) return "accepted";
  const std::string error = rows.error().text();
  return error.substr(error.find("f.yaml"));
}

TEST(CollectiveTimes, OfTheShippedMachineAreReadAsTheyWereFitted) {
  const auto rows =
      inputs::read_collective_times(tests::source_dir() + "/scenarios/collective_times/a100x8_nvswitch.yaml");
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0).kind, netmodels::CollectiveKind::all_gather);
  EXPECT_EQ(rows->at(1).kind, netmodels::CollectiveKind::all_reduce);
  EXPECT_EQ(rows->at(1).ranks, 8U);
  EXPECT_EQ(rows->at(1).nodes, 1U);
  EXPECT_DOUBLE_EQ(rows->at(1).p90_error, 0.0951);
  EXPECT_EQ(rows->at(1).times.segments.size(), 3U);
  EXPECT_NEAR(netmodels::predict(rows->at(1).times, netmodels::Bytes{1e9}).count, 104.364e-6 + 7.52112e-3,
              1e-12);
}

TEST(CollectiveTimes, OperationsThatNoExchangeUsesArePassedOver) {
  const tests::ScratchFolder scratch;
  const auto rows = inputs::read_collective_times(
      scratch.write("f.yaml", "fits:\n" + fit("alltoall", one) + fit("broadcast", one)));
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().kind, netmodels::CollectiveKind::broadcast);
  EXPECT_EQ(rows->front().nodes, std::nullopt);
  EXPECT_EQ(rows->front().smallest, netmodels::Bytes{1000});
}

const std::string two_points = "points: [{size: 1 kB, time: 1 ms}, {size: 4 kB, time: 4 ms}]";

/// A fit of all-reduce with these keys after its segments.
std::string interpolated(const std::string& keys) {
  std::string text = fit("all_reduce", one);
  return "fits:\n" + text.replace(text.rfind("]}"), 2, "], " + keys + "}");
}

TEST(CollectiveTimes, InterpolateBetweenPointsAsTheFileSays) {  // by hand
  const tests::ScratchFolder scratch;
  const auto lines = inputs::read_collective_times(
      scratch.write("f.yaml", interpolated("interpolation: lines, " + two_points)));
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_DOUBLE_EQ(netmodels::predict(lines->front().times, netmodels::Bytes{2000}).count, 2e-3);
  EXPECT_EQ(lines->front().times.interpolation, netmodels::Interpolation::lines);
  const auto old = inputs::read_collective_times(scratch.write("g.yaml", "fits:\n" + fit("all_reduce", one)));
  EXPECT_EQ(old->front().times.interpolation, netmodels::Interpolation::segments);
  EXPECT_DOUBLE_EQ(netmodels::predict(old->front().times, netmodels::Bytes{2000}).count, 12e-6);
}

TEST(CollectiveTimes, RefusePointsThatDoNotFit) {
  EXPECT_EQ(collective_times_error(interpolated("interpolation: line")),
            "f.yaml:2:5: unknown interpolation `line`; did you mean `lines`? accepted: segments, lines, "
            "log_lines");
  EXPECT_EQ(collective_times_error(interpolated("interpolation: lines")),
            "f.yaml:2:5: `lines` interpolate between 0 `points`; write at least 2");
  EXPECT_EQ(collective_times_error(interpolated(two_points)),
            "f.yaml:2:5: `points` are given, and segments interpolate; write `interpolation: lines` or "
            "`log_lines`, or leave out `points`");
  EXPECT_EQ(collective_times_error(interpolated(
                "interpolation: log_lines, points: [{size: 4 kB, time: 1 ms}, {size: 4 kB, time: 2 ms}]")),
            "f.yaml:2:5: the sizes of `points` do not increase; write the smallest first, each once");
}

TEST(CollectiveTimes, RefuseWithPlace) {
  EXPECT_EQ(collective_times_error("fits:\n" + fit("alltoall", one)),
            "f.yaml:1:1: no fit is for an operation of gradient exchanges; fit measurements of all_reduce, "
            "all_gather, broadcast or reduce_scatter");
  const std::string ends =
      "f.yaml:2:5: the ends of the segments of the fit of `all_reduce` do not increase to an open-ended "
      "one; write `up_to` in all but the last, each above the one before";
  const std::string ended = "{up_to: 2 kB, latency: 1 us, time_per_megabyte: 1 ms}";
  EXPECT_EQ(collective_times_error("fits:\n" + fit("all_reduce", ended)), ends);
  EXPECT_EQ(collective_times_error("fits:\n" + fit("all_reduce", one + ", " + one)), ends);
  EXPECT_EQ(collective_times_error("fits:\n" + fit("all_reduce", ended + ", " + ended + ", " + one)), ends);
  EXPECT_EQ(collective_times_error("fits:\n" + fit("all_gather", one)),
            "f.yaml:2:5: the fit of `all_gather` counts sizes as `buffer`; accepted: buffer for all_reduce "
            "and broadcast, "
            "total for the others");
  EXPECT_EQ(collective_times_error("fits:\n" + fit("all_reduce", one) + fit("all_reduce", one)),
            "f.yaml:3:5: duplicate `all_reduce` on the same ranks and nodes; keep one of the two");
}

}  // namespace
}  // namespace sim::scenario
