// Live predictions: forms by hand, ping-pongs of another line rate only, and the criterion of clean ones.
#include "calibrate/ledger/live_prediction.hpp"

#include <gtest/gtest.h>

#include "tests/ledger/live_table.hpp"

namespace calibrate::ledger {
namespace {

const netmodels::LinkState link{{1e-4}, {2e7}};

imports::LiveRow row_of(const std::string& collective, const std::string& algorithm, int ranks) {
  return {{"ompi", ranks, {2e7}, {0}}, collective, algorithm, {1e6}, {1}};
}

TEST(LivePrediction, FormsAreAsByHand) {
  const auto seconds = [](const imports::LiveRow& row) { return predict_live(row, link)->count; };
  EXPECT_NEAR(seconds(row_of("bcast", "pipeline", 4)), 3 * 0.0501, 1e-12);
  EXPECT_NEAR(seconds(row_of("bcast", "binomial", 8)), 3e-4 + 6 * 0.05, 1e-12);
  EXPECT_NEAR(seconds(row_of("allreduce", "tree_nonoverlap", 4)), 3e-4 + (2 + 3) * 0.05, 1e-12);
  EXPECT_NEAR(seconds(row_of("allreduce", "tree_nonoverlap", 8)), 4e-4 + (3 + 7) * 0.05, 1e-12);
  EXPECT_NEAR(seconds(row_of("allgather", "ring", 4)), 3 * (1e-4 + 0.05 / (1 - 66.0 / 3028)), 1e-12);
  EXPECT_NEAR(seconds(row_of("allgatherv", "ring", 5)), 4 * (1e-4 + 0.075 / (1 - 66.0 / 3028)), 1e-12);
  EXPECT_FALSE(predict_live(row_of("bcast", "scatter_ring", 4), link));
  EXPECT_FALSE(predict_live(row_of("pingpong", "p2p", 4), link));
}

TEST(LivePrediction, DefaultsOfOpenMpiAreThoseOfTheSize) {  // 1 MB, or as much for each rank, in 50 ms
  const auto seconds = [](const imports::LiveRow& row) { return predict_live(row, link)->count; };
  EXPECT_NEAR(seconds(row_of("reduce", "openmpi", 4)), 2 * (1e-4 + 0.05), 1e-12);  // binomial
  EXPECT_NEAR(seconds(row_of("gather", "openmpi", 4)), 1e-4 + 3 * 0.05, 1e-12);    // linear
  EXPECT_NEAR(seconds(row_of("gather", "openmpi", 8)), 3e-4 + 7 * 0.05, 1e-12);    // binomial
  EXPECT_NEAR(seconds(row_of("scatter", "openmpi", 4)), 1e-4 + 3 * 0.05, 1e-12);   // linear
  EXPECT_NEAR(seconds(row_of("bcast", "openmpi", 8)), 1e-4 + 7 * 0.05, 1e-12);     // linear
}

TEST(LivePrediction, MpichBroadcastsByBlockingSends) {  // 4 MiB at 20 MiB/s, 512 KiB of it shared
  imports::LiveRow row = row_of("bcast", "binomial", 4);
  row.setting.stack = "mpich_eager";
  row.size = {4194304};
  EXPECT_NEAR(predict_live(row, {{1e-4}, {20971520}})->count, 2e-4 + 2.125 * 0.2, 1e-12);
}

TEST(LivePrediction, PingPongsOfTheSameLineRateAreNotAsked) {
  const auto pings = PingPongs::fit(*read_live({live_table()}));
  ASSERT_TRUE(pings) << pings.error().text();
  imports::LiveSetting setting{"ompi", 4, {20e6}, {0}};
  const auto at_other = pings->link_at_other_rate("live.csv", setting);
  ASSERT_TRUE(at_other);
  EXPECT_NEAR(at_other->bandwidth.count, 20e6, 1);  // that of 80 Mbit/s, scaled
  setting.delay = {1e-3};
  EXPECT_FALSE(pings->link_at_other_rate("live.csv", setting));
}

TEST(LivePrediction, SmallMessagesTreesAndBusyProcessorsAreNotClean) {
  EXPECT_TRUE(is_clean(row_of("allreduce", "ring", 4)));
  EXPECT_FALSE(is_clean(row_of("bcast", "binomial", 4)));
  imports::LiveRow row = row_of("allreduce", "ring", 8);
  row.setting.line = {125e6};
  EXPECT_FALSE(is_clean(row));
  row = row_of("allreduce", "ring", 4);
  row.size = {65536};
  EXPECT_FALSE(is_clean(row));
  row = row_of("bcast", "binomial", 4);
  row.setting.delay = {1e-3};
  EXPECT_TRUE(is_clean(row));
  row.setting.stack = "mpich_eager";
  EXPECT_FALSE(is_clean(row));
}

}  // namespace
}  // namespace calibrate::ledger
