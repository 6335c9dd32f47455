// What the shipped live scenarios of batching and streams claim in their first lines.
#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace testing;

/// The result of an arm of a shipped scenario.
ArmResult arm_of(const std::string& file, const std::string& arm) {
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  constexpr std::array expected{language::ExpectableMetric{"batch_changes", language::MetricUnit::number},
                                language::ExpectableMetric{"buffer_bytes", language::MetricUnit::size},
                                language::ExpectableMetric{"target_time", language::MetricUnit::time}};
  const auto reading = scenario::read_study(data / file, {}, data, expected);
  for (const scenario::Scenario& scenario : reading.value().study.arms) {
    if (scenario.name == arm) return result_of(scenario);
  }
  ADD_FAILURE() << file << " has no arm " << arm;
  return {};
}

netmodels::Seconds target_time(const ArmResult& result) { return result.learning.value().target.value().at; }

TEST(LiveDynamicBatching, ReachesTheTargetInSixTenthsOfTheTimeOfUniformBatches) {
  const std::string file = "what_if/live_dynamic_batching.yaml";
  const ArmResult dynamic = arm_of(file, "dynamic");
  EXPECT_LE(target_time(dynamic), 0.6 * target_time(arm_of(file, "uniform")));
  EXPECT_LE(dynamic.batch_changes, 3);
}

// Times by hand: (0.12 s + 1.08 s b / 64) 13 / cores.
TEST(LiveDynamicBatching, EndsWithTimesWithinTheDeadBand) {
  const ArmResult dynamic = arm_of("what_if/live_dynamic_batching.yaml", "dynamic");
  const std::vector<double> cores{4, 11, 24};
  std::vector<double> times;
  for (std::size_t worker = 0; worker < 3; ++worker)
    times.push_back((0.12 + 1.08 * dynamic.batches.at(worker) / 64) * 13 / cores[worker]);
  const double mean = (times[0] + times[1] + times[2]) / 3;
  for (const double time : times) EXPECT_NEAR(mean / time, 1, 0.05);
}

TEST(LiveScadles, IsSoonerThereWithAHundredthOfTheBuffer) {
  const std::string file = "what_if/live_scadles.yaml";
  const ArmResult scadles = arm_of(file, "scadles");
  const ArmResult conventional = arm_of(file, "conventional");
  EXPECT_LT(target_time(scadles), target_time(conventional));
  EXPECT_LE(100 * scadles.buffer.value().bytes, conventional.buffer.value().bytes);
}

}  // namespace
}  // namespace sim::engine
