// The result of a probe: the true links, the time of measurement, its cost, and its noise.
#include "sim/engine/network_probe.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

class Probe : public ::testing::Test {
 protected:
  Probe() : platform_(std::move(*Platform::make(star(4, 2_ms, 10_Gbps)))), state_(nominal(*platform_)) {}

  void set_all(netmodels::Bandwidth bandwidth) {
    for (auto& link : state_.links) link.bandwidth = bandwidth;
    ++state_.number;
  }
  netmodels::Seconds look(NetworkProbe& probe, netmodels::Seconds now) {
    state_.now = now;
    return probe.look(*platform_, workers_, state_);
  }

  std::unique_ptr<Platform> platform_;
  netmodels::NetworkState state_;
  std::vector<std::uint32_t> workers_ = everyone(4);
};

TEST_F(Probe, TheTruthIsTheLongestLatencyAndTheNarrowestLinkBetweenNeighbours) {
  for (netmodels::LinkId id = 0; id < platform_->links().size(); ++id) {
    if (platform_->links()[id].name == "worker1_UP") state_.links[id].latency = 5_ms;
    if (platform_->links()[id].name == "worker3_DOWN") state_.links[id].bandwidth = 2_Gbps;
  }
  const auto estimate = true_estimate(*platform_, workers_, state_);
  EXPECT_EQ(estimate.latency, 6_ms);
  EXPECT_EQ(estimate.bandwidth, 2_Gbps);
  EXPECT_EQ(true_estimate(*platform_, {0, 2}, state_).bandwidth, 10_Gbps);  // worker 3 takes no part
}

TEST_F(Probe, AWorkerAloneHasNoNetwork) {
  const auto estimate = true_estimate(*platform_, {0}, state_);
  EXPECT_EQ(estimate.latency, netmodels::Seconds{});
  EXPECT_EQ(estimate.bandwidth.count, std::numeric_limits<double>::infinity());
}

TEST_F(Probe, KnowsNothingBeforeItsFirstLook) {
  EXPECT_FALSE(NetworkProbe({10_s, 0, {}, false}, 1).estimate(5_s).has_value());
}

TEST_F(Probe, MeasuresOncePerIntervalAndShowsTheOldReadingUntilThen) {
  NetworkProbe probe({10_s, 0, 50_ms, false}, 1);
  EXPECT_EQ(look(probe, 0_s), 50_ms);
  set_all(1_Gbps);
  EXPECT_EQ(look(probe, {9.99}), netmodels::Seconds{});
  EXPECT_EQ(probe.estimate({9.99})->bandwidth, 10_Gbps);
  EXPECT_EQ(look(probe, 10_s), 50_ms);
  EXPECT_EQ(probe.estimate(10_s)->bandwidth, 1_Gbps);
  EXPECT_EQ(probe.readings(), 2U);
}

TEST_F(Probe, AReadingAges) {
  NetworkProbe probe({10_s, 0, {}, false}, 1);
  look(probe, 2_s);
  EXPECT_EQ(probe.estimate({6.5})->age, 4.5_s);
}

TEST_F(Probe, TheOracleSeesEveryChangeAtOnceAndForNothing) {
  NetworkProbe probe({10_s, 0.5, 50_ms, true}, 1);
  EXPECT_EQ(look(probe, 0_s), netmodels::Seconds{});
  EXPECT_EQ(probe.estimate(0_s)->bandwidth, 10_Gbps);
  set_all(1_Gbps);
  EXPECT_EQ(look(probe, {0.1}), netmodels::Seconds{});
  EXPECT_EQ(probe.estimate({0.1})->bandwidth, 1_Gbps);
}

TEST_F(Probe, TheOracleCountsAReadingOnlyWhereSomethingChanged) {
  NetworkProbe probe({10_s, 0, {}, true}, 1);
  look(probe, 0_s);
  look(probe, 1_s);
  EXPECT_EQ(probe.readings(), 1U);
}

TEST_F(Probe, TheOracleForgetsTheLinkOfALostWorker) {
  for (netmodels::LinkId id = 0; id < platform_->links().size(); ++id) {
    if (platform_->links()[id].name == "worker3_UP") state_.links[id].bandwidth = 1_Gbps;
  }
  NetworkProbe probe({10_s, 0, {}, true}, 1);
  look(probe, 0_s);
  EXPECT_EQ(probe.estimate(0_s)->bandwidth, 1_Gbps);
  workers_ = {0, 1, 2};
  look(probe, 1_s);
  EXPECT_EQ(probe.estimate(1_s)->bandwidth, 10_Gbps);
}

TEST_F(Probe, KeepsEveryLinkAsItWasReadWithNothingUpcoming) {
  NetworkProbe probe({10_s, 0, {}, false}, 1);
  EXPECT_EQ(probe.links(), nullptr);
  const netmodels::LinkChange soon{1_s, 0, {1_ms, 1_Gbps}};
  state_.upcoming = {&soon, 1};
  look(probe, 0_s);
  set_all(1_Gbps);
  look(probe, 5_s);  // too early
  ASSERT_NE(probe.links(), nullptr);
  EXPECT_EQ(probe.links()->links[0].bandwidth, 10_Gbps);
  EXPECT_TRUE(probe.links()->upcoming.empty());
  EXPECT_NE(probe.links()->number, state_.number);
  look(probe, 10_s);
  EXPECT_EQ(probe.links()->links[0].bandwidth, 1_Gbps);
}

TEST_F(Probe, ReadsNoLinkExactlyWithNoiseUnlessItIsTheOracle) {
  NetworkProbe noisy({10_s, 0.1, {}, false}, 1);
  look(noisy, 0_s);
  EXPECT_EQ(noisy.links(), nullptr);
  NetworkProbe oracle({10_s, 0.1, {}, true}, 1);
  look(oracle, 0_s);
  EXPECT_NE(oracle.links(), nullptr);
}

TEST_F(Probe, NoiseIsTheSameForASeedAndDiffersForAnother) {
  const auto bandwidth = [&](std::uint64_t seed) {
    NetworkProbe probe({10_s, 0.1, {}, false}, seed);
    look(probe, 0_s);
    return probe.estimate(0_s)->bandwidth;
  };
  EXPECT_EQ(bandwidth(1), bandwidth(1));
  EXPECT_NE(bandwidth(1), bandwidth(2));
}

TEST_F(Probe, OnlyWithoutNoiseIsAReadingTheTruth) {
  for (const double noise : {0.0, 0.01, 1.0}) {
    NetworkProbe probe({10_s, noise, {}, false}, 1);
    look(probe, 0_s);
    EXPECT_EQ(probe.estimate(0_s)->bandwidth == 10_Gbps, noise == 0) << noise;
  }
}

TEST_F(Probe, NoiseHasItsSpreadAndNoBias) {  // 4000 readings at 10 %
  NetworkProbe probe({1_s, 0.1, {}, false}, 1);
  double sum = 0;
  double squares = 0;
  constexpr int kReadings = 4000;
  for (int reading = 0; reading < kReadings; ++reading) {
    look(probe, {1.0 * reading});
    const double off = probe.estimate({1.0 * reading})->bandwidth / 10_Gbps - 1;
    sum += off;
    squares += off * off;
  }
  EXPECT_NEAR(sum / kReadings, 0, 4 * 0.1 / std::sqrt(1.0 * kReadings));
  EXPECT_NEAR(std::sqrt(squares / kReadings), 0.1, 0.005);
}

TEST_F(Probe, NoNoiseMakesAReadingNegative) {
  NetworkProbe probe({1_s, 5, {}, false}, 1);
  for (int reading = 0; reading < 500; ++reading) {
    look(probe, {1.0 * reading});
    EXPECT_GT(probe.estimate({1.0 * reading})->bandwidth.count, 0);
    EXPECT_GT(probe.estimate({1.0 * reading})->latency.count, 0);
  }
}

}  // namespace
}  // namespace sim::engine
