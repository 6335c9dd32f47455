// Compression times by hand: stated, between two ratios, the device's floor, and one trial after another.
#include "sim/engine/compression_cost.hpp"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using policies::CompressionChoice;

constexpr double kFemtosecond = 1e-15;
constexpr std::int64_t kAll = 4000000;  ///< values of the gradient

/// Top-k at 10 % and at 0.1 %, in no particular order.
scenario::Scenario timed() {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.times = {{"topk", 0.1, 40_ms}, {"topk", 0.001, 20_ms}};
  return scenario;
}

double time_at(const scenario::Scenario& scenario, double ratio, std::int64_t values = kAll) {
  return costs_of(scenario).compressing_time({"topk", ratio}, values).count;
}

TEST(CompressionTime, IsLinearOverTheLogarithmOfTheRatio) {  // 1 % lies in the middle of 0.1 % and 10 %
  EXPECT_NEAR(time_at(timed(), 0.01), 0.030, kFemtosecond);
  EXPECT_NEAR(time_at(timed(), 0.1 / std::sqrt(10)), 0.035, kFemtosecond);
}

TEST(CompressionTime, IsWhatIsStatedAtAStatedRatio) {
  EXPECT_EQ(time_at(timed(), 0.1), 0.040);
  EXPECT_EQ(time_at(timed(), 0.001), 0.020);
}

TEST(CompressionTime, IsTheNearestOneBeyondTheStatedRatios) {
  EXPECT_EQ(time_at(timed(), 0.5), 0.040);
  EXPECT_EQ(time_at(timed(), 0.0001), 0.020);
}

TEST(CompressionTime, OfASingleStatedRatioHoldsForAll) {
  scenario::Scenario scenario = timed();
  scenario.exchange.compression.times.pop_back();
  EXPECT_EQ(time_at(scenario, 0.1), 0.040);
  EXPECT_EQ(time_at(scenario, 0.02), 0.040);
  EXPECT_EQ(time_at(scenario, 1), 0.040);
}

TEST(CompressionTime, OfSomeValuesIsTheirShare) {
  EXPECT_NEAR(time_at(timed(), 0.01, kAll / 4), 0.0075, kFemtosecond);
  EXPECT_EQ(time_at(timed(), 0.01, 0), 0);
}

TEST(CompressionTime, OfTheWholeGradientOverrulesThoseOfMethods) {
  scenario::Scenario scenario = timed();
  scenario.exchange.compression.time = 8_ms;
  EXPECT_EQ(time_at(scenario, 0.01), 0.008);
  EXPECT_EQ(time_at(scenario, 0.1, kAll / 2), 0.004);
}

// Both methods move 12 bytes per value and a message of 8 bytes per kept value.
TEST(CompressionTime, OfAMethodWithoutAStatedOneIsTheDevicesFloor) {
  scenario::Scenario scenario = timed();
  EXPECT_EQ(costs_of(scenario).compressing_time({"dgc", 0.01}, kAll).count, 0);
  scenario.work.device = simple_device();
  EXPECT_NEAR(costs_of(scenario).compressing_time({"dgc", 0.01}, kAll).count, 48.32e-6, kFemtosecond);
  EXPECT_NEAR(costs_of(scenario).compressing_time({"dgc", 0.01}, kAll / 2).count, 24.16e-6, kFemtosecond);
  EXPECT_EQ(costs_of(scenario).compressing_time({"dgc", 0.01}, 0).count, 0);
  scenario.exchange.compression.times.clear();
  EXPECT_NEAR(time_at(scenario, 0.01), 48.32e-6, kFemtosecond);
}

TEST(CompressionTime, DenseGradientsTakeNone) {
  scenario::Scenario scenario = timed();
  scenario.work.device = simple_device();
  EXPECT_EQ(costs_of(scenario).compressing_time({}, kAll).count, 0);
}

TEST(CompressionTime, OneThatIsStatedForAllMethodsIsNotOfWhatIsSentAsItIs) {
  scenario::Scenario scenario = timed();
  scenario.exchange.compression.time = 1_s;
  EXPECT_EQ(costs_of(scenario).compressing_time({"none", 1}, kAll), 0_s);
  EXPECT_EQ(time_at(scenario, 0.1), 1);
}

TEST(TimeOfTrials, EachIsChargedForWhatItIsGiven) {  // 40 ms for all values, 30 ms for a tenth of them
  const std::vector<CompressionChoice> one{{"topk", 0.1}};
  const std::vector<CompressionChoice> two{{"topk", 0.1}, {"topk", 0.01}};
  const std::vector<CompressionChoice> three{{"topk", 0.1}, {"topk", 0.01}, {"topk", 0.001}};
  EXPECT_NEAR(costs_of(timed()).time_of_trials(one).count, 0.040, kFemtosecond);
  EXPECT_NEAR(costs_of(timed()).time_of_trials(two).count, 0.043, kFemtosecond);
  EXPECT_NEAR(costs_of(timed()).time_of_trials(three).count, 0.0432, kFemtosecond);
}

TEST(TimeOfTrials, ALaterTrialThatKeepsMoreIsStillGivenTheLess) {
  const std::vector<CompressionChoice> trials{{"topk", 0.01}, {"topk", 0.1}, {"topk", 0.001}};
  EXPECT_NEAR(costs_of(timed()).time_of_trials(trials).count, 0.030 + 0.0004 + 0.0002, kFemtosecond);
}

TEST(TimeOfTrials, TheDenseGradientAloneCostsNothing) {
  const std::vector<CompressionChoice> trials{{}};
  EXPECT_EQ(costs_of(timed()).time_of_trials(trials), netmodels::Seconds{});
}

TEST(CompressionTimeOrigin, TellsStatedTimesFromTheFloor) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  EXPECT_EQ(compressing_origin_of(scenario), "none");
  scenario.exchange.compression.policy = *policies::find_compression("flexible");
  EXPECT_EQ(compressing_origin_of(scenario), "not known for this device, counted as 0");
  scenario.work.device = simple_device();
  EXPECT_EQ(compressing_origin_of(scenario), "a floor: memory traffic on simple device");
  scenario.exchange.compression.times = {{"topk", 0.1, 40_ms}};
  EXPECT_EQ(compressing_origin_of(scenario),
            "as stated, interpolated between ratios; of methods without a stated time: a floor: memory "
            "traffic on simple device");
  scenario.exchange.compression.time = 1_ms;
  EXPECT_EQ(compressing_origin_of(scenario), "as stated");
}

TEST(CompressionTime, OfAMeasuredKernelIsOfTheValuesOfEachCall) {  // by hand: 20 us + n (1 ns + c 20 ns)
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-5}, {1e-9}, {2e-8}}, 0.05, 1000, kAll}};
  EXPECT_NEAR(time_at(scenario, 0.01), 2e-5 + kAll * 1.2e-9, kFemtosecond);
  EXPECT_NEAR(time_at(scenario, 0.1, 1000), 2e-5 + 1000 * 3e-9, kFemtosecond);
  scenario.exchange.compression.times = {{"topk", 0.1, 40_ms}};
  EXPECT_EQ(time_at(scenario, 0.1), 0.040);
}

/// Restoring a message takes 1 us + n 1.5 ns.
scenario::Scenario with_restoring(const std::string& method) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.kernels.rows = {{.method = method,
                                                 .cost = {{2e-5}, {1e-9}, {2e-8}},
                                                 .largest = kAll,
                                                 .restoring = {{0.1, {1e-6}, {1.5e-9}}},
                                                 .restoring_p90_error = 0.07}};
  return scenario;
}

double restoring_of(const scenario::Scenario& scenario, const std::string& method, std::uint32_t workers) {
  return costs_of(scenario).restoring_time({method, 0.1}, 1000, workers).count;
}

TEST(RestoringTime, IsOfEachMessageOfTheOtherWorkersThatAnAllGatherBrings) {  // of each 1 us + 1.5 us
  EXPECT_NEAR(restoring_of(with_restoring("topk"), "topk", 8), 7 * 2.5e-6, kFemtosecond);
  EXPECT_EQ(restoring_of(with_restoring("topk"), "topk", 1), 0);
  EXPECT_NEAR(restoring_of(with_restoring("qsgd"), "qsgd", 2), 2.5e-6, kFemtosecond);
  EXPECT_EQ(costs_of(with_restoring("topk")).restoring_time({"topk", 0.1}, 0, 8).count, 0);
}

TEST(RestoringTime, IsNoneWhereTheNetworkAddsUpOrATimeIsStatedOrNothingWasMeasured) {
  EXPECT_EQ(restoring_of(with_restoring("ar_topk"), "ar_topk", 8), 0);
  EXPECT_EQ(restoring_of(with_restoring("powersgd"), "powersgd", 8), 0);
  EXPECT_EQ(restoring_of(with_restoring("none"), "none", 8), 0);
  EXPECT_EQ(restoring_of(with_restoring("topk"), "dgc", 8), 0);
  scenario::Scenario scenario = with_restoring("topk");
  scenario.exchange.compression.times = {{"topk", 0.1, 40_ms}};
  EXPECT_EQ(restoring_of(scenario, "topk", 8), 0);
  scenario.exchange.compression.times.clear();
  scenario.exchange.compression.kernels.rows.front().restoring.clear();
  EXPECT_EQ(restoring_of(scenario, "topk", 8), 0);
}

std::string said_of_restoring(const scenario::Scenario& scenario, const std::string& method) {
  scenario::Scenario own = scenario;
  own.exchange.compression.method = method;
  const std::string said = compressing_origin_of(own);
  return said.substr(std::min(said.find("within 0 %") + 10, said.size()));
}

TEST(RestoringTime, IsSaidWhereItIsCounted) {
  scenario::Scenario scenario = with_restoring("topk");
  EXPECT_EQ(said_of_restoring(scenario, "topk"),
            " (7 % with 16 messages restored); with a message of each worker restored");
  scenario.exchange.compression.kernels.rows.push_back(scenario.exchange.compression.kernels.rows.front());
  scenario.exchange.compression.kernels.rows.back().restoring.clear();
  EXPECT_THAT(compressing_origin_of([&] {
                auto own = scenario;
                own.exchange.compression.method = "topk";
                return own;
              }()),
              ::testing::EndsWith("; with a message of each worker restored, where that was measured"));
  scenario.exchange.compression.kernels.rows.erase(scenario.exchange.compression.kernels.rows.begin());
  scenario.exchange.compression.kernels.rows.front().restoring_p90_error = 0;
  EXPECT_EQ(said_of_restoring(scenario, "topk"),
            "; with one message restored, though an all-gather brings one of each worker");
  EXPECT_EQ(said_of_restoring(with_restoring("ar_topk"), "ar_topk"), "");
}

TEST(RestoringTime, IsOfOneMessageWhereAServerAnswersEachWorker) {
  scenario::Scenario scenario = with_restoring("topk");
  scenario.exchange.synchronisation = policies::synchronisation("asp", policies::Asynchronous{});
  EXPECT_EQ(said_of_restoring(scenario, "topk"), "");
}

TEST(RestoringTime, IsSaidOfWhatAPolicySends) {
  scenario::Scenario scenario = with_restoring("topk");
  scenario.exchange.compression.policy = *policies::find_compression("flexible");
  scenario.exchange.compression.kernels.device = "a device";
  EXPECT_EQ(
      compressing_origin_of(scenario),
      "measured on a device; with a message of each worker restored; of methods that were not measured: not "
      "known for this device, counted as 0");
}

TEST(CompressionTime, OfWhatIsSentAsItIsIsNoneThoughItWasMeasuredAsAYardstick) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.kernels.rows = {{"none", {{2e-5}, {1e-9}, {0}}, 0.05, 1000, kAll}};
  EXPECT_EQ(costs_of(scenario).compressing_time({"none", 1}, kAll).count, 0);
}

TEST(CompressionTime, IsThatOfTheRowWhoseSizesAreNearest) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-5}, {1e-9}, {0}}, 0.05, 1000, 2000},
                                                {"topk", {{5e-5}, {3e-9}, {0}}, 0.05, 10'000, kAll}};
  EXPECT_NEAR(time_at(scenario, 0.1, 2500), 2e-5 + 2500e-9, kFemtosecond);
  EXPECT_NEAR(time_at(scenario, 0.1, 9000), 5e-5 + 27000e-9, kFemtosecond);
}

TEST(CompressionTime, SaysWhereAKernelIsExtrapolated) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.compression.kernels.device = "a device";
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-5}, {1e-9}, {2e-8}}, 0.05, 1000, 2000},
                                                {"topk", {{2e-5}, {1e-9}, {2e-8}}, 0.1, 3000, 4000}};
  EXPECT_EQ(
      compressing_origin_of(scenario),
      "measured on a device, 1000 to 2000 values, nine of ten held-out sizes within 5 %, 3000 to 4000 "
      "values, nine of ten held-out sizes within 10 %; above 4000 values: extrapolated; with one message "
      "restored, though an all-gather brings one of each worker");
}

/// What is said of a kernel that was measured at ratios of 0.1 to 10 %.
std::string said_of(const std::string& method, double ratio) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.method = method;
  scenario.exchange.compression.ratio = ratio;
  scenario.exchange.compression.kernels.rows = {
      {method, {{2e-5}, {1e-9}, {2e-8}}, 0.05, 1000, kAll, 0.001, 0.1}};
  return compressing_origin_of(scenario);
}

TEST(CompressionTime, SaysWhereARatioIsExtrapolated) {
  EXPECT_THAT(said_of("topk", 0.5),
              ::testing::HasSubstr("; the ratio 0.5 is extrapolated: 0.001 to 0.1 were measured"));
  EXPECT_THAT(said_of("multilevel", 1e-4), ::testing::HasSubstr("; the ratio 0.0001 is extrapolated: "));
  EXPECT_THAT(said_of("topk", 0.1), ::testing::Not(::testing::HasSubstr("extrapolated")));
  EXPECT_THAT(said_of("qsgd", 0.5),
              ::testing::Not(::testing::HasSubstr("extrapolated")));  // it knows no ratio
}

TEST(CompressionTime, SaysThatPowerSgdWasMeasuredAtRankOne) {
  EXPECT_THAT(said_of("powersgd", 0.01),
              ::testing::HasSubstr("; measured at rank 1; higher ranks are assumed to cost no more"));
}

TEST(CompressionTime, SaysOnWhichDeviceItWasMeasured) {
  scenario::Scenario scenario = plain(4, {}, 1_Gbps, 1);
  scenario.exchange.compression.method = "topk";
  scenario.exchange.compression.ratio = 0.01;
  scenario.exchange.compression.kernels.device = "a device";
  scenario.exchange.compression.kernels.rows = {{"topk", {{2e-5}, {1e-9}, {2e-8}}, 0.05, 1000, kAll}};
  EXPECT_EQ(compressing_origin_of(scenario),
            "measured on a device, 1000 to 4000000 values, nine of ten held-out sizes within 5 %; with one "
            "message restored, though an all-gather brings one of each worker");
  scenario.exchange.compression.method = "dgc";
  EXPECT_EQ(compressing_origin_of(scenario), "not known for this device, counted as 0");
}

}  // namespace
}  // namespace sim::engine
