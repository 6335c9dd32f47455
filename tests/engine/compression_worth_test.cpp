// Dense against compressed, by hand: when compression pays and when it does not.
#include <string>

#include <gtest/gtest.h>

#include "sim/engine/compression_controller.hpp"
#include "sim/engine/step_simulator.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

CompressionWorth worth_of(const scenario::Scenario& scenario) {
  ClusterCache clusters;
  const auto simulator = StepSimulator::make(scenario, clusters).value();
  return compression_worth(*simulator, {}, 0).value().value();
}

/// Four workers, 4 million values at 100 MB/s: the ring takes 246 ms, 10 % as pairs all-gathered 102 ms.
scenario::Scenario compressed_in(netmodels::Seconds time) {
  scenario::Scenario scenario = plain(4, 1_ms, kSlow, 1);
  scenario.exchange.compression = sent_as("topk", 0.1, time);
  scenario.exchange.collective = "auto";
  scenario.exchange.among = {"ring_allreduce", "ring_allgather"};
  return scenario;
}

TEST(CompressionWorth,
     PaysWhereItTakesLessThanItSaves) {  // 3 (1 ms + 3.2 MB / 100 MB/s) = 99 ms of all-gather
  const CompressionWorth worth = worth_of(compressed_in(100_ms));
  EXPECT_NEAR(worth.dense.count, 0.367, 1e-12);
  EXPECT_NEAR(worth.compressed.count, 0.121 + 0.100 + 0.099, 1e-12);
  EXPECT_NEAR(worth.saved.count, 0.147, 1e-12);
  EXPECT_NEAR(worth.compress.count, 0.100, 1e-12);
  EXPECT_NEAR(worth.least.count, 0.121, 1e-12);
  EXPECT_TRUE(worth.stated);
  EXPECT_TRUE(worth.pays());
}

TEST(CompressionWorth, DoesNotPayWhereItTakesMore) {
  EXPECT_TRUE(worth_of(compressed_in(146_ms)).pays());
  EXPECT_FALSE(worth_of(compressed_in(148_ms)).pays());
}

TEST(CompressionWorth, CountsTheRestoringOfWhatAllOthersSend) {  // 10 ms and three times 2 ms
  scenario::Scenario scenario = compressed_in(0_s);
  scenario.exchange.compression.time.reset();
  scenario.exchange.compression.kernels.rows = {
      {.method = "topk", .cost = {10_ms, {}, {}}, .restoring = {{0.1, 2_ms, {}}}}};
  EXPECT_NEAR(worth_of(scenario).compress.count, 0.016, 1e-12);
}

TEST(CompressionWorth, OfADenseArmIsAnExample) {
  const CompressionWorth worth = worth_of(plain(4, 1_ms, kSlow, 1));
  EXPECT_FALSE(worth.stated);
  EXPECT_EQ(worth.sent.ratio, 0.01);
  EXPECT_LT(worth.compressed, worth.dense);
}

// All-gathered pairs grow with the workers, values that all agree on do not.
TEST(CompressionWorth, OfADenseArmIsTheFasterOfTheExamples) {
  const auto of = [](std::string method, int workers) {
    scenario::Scenario scenario = plain(workers, {}, kSlow, 1);
    if (method != "none") scenario.exchange.compression = sent_as(method, 0.01, 0_s);
    return worth_of(scenario);
  };
  EXPECT_LT(of("topk", 2).compressed, of("ar_topk", 2).compressed);
  EXPECT_EQ(of("none", 2).sent.method, "topk");
  EXPECT_GT(of("topk", 16).compressed, of("ar_topk", 16).compressed);
  EXPECT_EQ(of("none", 16).sent.method, "ar_topk");
}

TEST(CompressionWorth, OfAWorkerAloneThereIsNone) {
  const scenario::Scenario scenario = plain(1, 1_ms, kSlow, 1);
  ClusterCache clusters;
  const auto simulator = StepSimulator::make(scenario, clusters).value();
  EXPECT_FALSE(compression_worth(*simulator, {}, 0).value().has_value());
}

}  // namespace
}  // namespace sim::engine
