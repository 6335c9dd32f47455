// The predictions that the live testbed is compared with, by hand.
#include "tests/live/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace live {
namespace {

using namespace netmodels::literals;

// 1 MB/s and 1 ms, so that bytes are microseconds.
constexpr LinkState slow{1_ms, {1e6}};

Exchange exchange(std::string_view name, double bytes) { return {name, Bytes{bytes}, 4, 0.1, 2_ms}; }

TEST(LivePrediction, RingsAndBroadcastAreTheClosedForms) {
  EXPECT_NEAR(predict(exchange("all_reduce", 400e3), slow)->count, 6 * (1e-3 + 0.1), 1e-12);
  EXPECT_NEAR(predict(exchange("all_gather", 400e3), slow)->count, 3 * (1e-3 + 0.1), 1e-12);
  EXPECT_NEAR(predict(exchange("all_gatherv", 400e3), slow)->count, 3 * (1e-3 + 0.15), 1e-12);
  EXPECT_NEAR(predict(exchange("broadcast", 81920), slow)->count, 3e-3 + 12 * 8192e-6, 1e-12);
  EXPECT_NEAR(predict(exchange("point_to_point", 1000), slow)->count, 2e-3, 1e-12);
  EXPECT_FALSE(predict(exchange("topk_all_gather_local", 1000), slow));
}

TEST(LivePrediction, SparseExchangesCarryTheKeptValuesAndComputeBesides) {
  const Exchange top_k = exchange("topk_all_gather", 400e3);  // 100 000 values, 10 000 kept
  EXPECT_EQ(carried(top_k).count, 4 * 80e3);
  EXPECT_NEAR(predict(top_k, slow)->count, 2e-3 + 3 * (1e-3 + 80e-3), 1e-12);
  const Exchange ar_top_k = exchange("ar_topk", 400e3);
  EXPECT_EQ(carried(ar_top_k).count, 40e3);
  const double broadcast = 3e-3 + 7 * 8e-3;  // 5 pieces of 8000 bytes
  EXPECT_NEAR(predict(ar_top_k, slow)->count, 2e-3 + broadcast + 6 * (1e-3 + 10e-3), 1e-12);
}

TEST(LivePrediction, PingPongOnOneLineGivesLatencyAndShareOfAnother) {
  calibrate::measurements::Measurements ping_pong;
  ping_pong.points = {{{4}, 1_ms}, {{262144}, 30_ms}, {{1262144}, 130_ms}};  // 10 MB/s of a line of 12.5 MB/s
  const auto link = transferred(ping_pong, {12.5e6}, {25e6});
  ASSERT_TRUE(link) << link.error().text();
  EXPECT_EQ(link->latency, 1_ms);
  EXPECT_NEAR(link->bandwidth.count, 20e6, 1e-3);
  ping_pong.points.back().time = 30_ms;
  EXPECT_EQ(transferred(ping_pong, {12.5e6}, {25e6}).error().text(),
            "large messages do not take longer than small ones; measure larger messages");
  ping_pong.points.pop_back();
  EXPECT_THAT(transferred(ping_pong, {12.5e6}, {25e6}).error().text(), testing::HasSubstr("256 KiB"));
}

}  // namespace
}  // namespace live
