// The policies' view of the network during a training, and the cost of probes.
#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;

// Four workers, 16 MB at 100 MB/s: halving-doubling takes 4 L + 0.24 s, recursive doubling 2 L + 0.32 s; no
// other row takes less than both at a latency of 1 ms or of 100 ms.
constexpr std::string_view kNear = "halving_doubling_allreduce";
constexpr std::string_view kFar = "recursive_doubling_allreduce";

/// Latency rises from 1 ms to 100 ms after 2.5 s.
scenario::Scenario watching(scenario::Probe probe) {
  scenario::Scenario scenario = plain(4, 1_ms, {100e6}, 20);
  scenario.exchange.collective = "auto";
  scenario.exchange.probe = probe;
  scenario.cluster.changes = {at_time(2.5_s, {}, 100_ms)};
  return scenario;
}

/// The first step that used the collective for distant workers.
std::optional<StepRecord> first_far(const std::vector<StepRecord>& steps) {
  for (const StepRecord& step : steps) {
    if (step.collective == kFar) return step;
    EXPECT_EQ(step.collective, kNear);
  }
  return std::nullopt;
}

TEST(Probing, ThePolicySeesTheOldNetworkUntilTheNextProbe) {
  const auto far = first_far(steps_of(watching({4_s, 0, {}, false})));
  ASSERT_TRUE(far.has_value());
  EXPECT_GE(far->start, 4_s);
  EXPECT_LT(far->start, 4_s + 0.8_s);
}

TEST(Probing, ThePolicyNeverLearnsWithoutAnotherProbe) {
  EXPECT_FALSE(first_far(steps_of(watching({1000_s, 0, {}, false}))).has_value());
}

TEST(Probing, TheOracleKnowsWithTheNextStep) {
  const auto steps = steps_of(watching({1000_s, 0, {}, true}));
  const auto far = first_far(steps);
  ASSERT_TRUE(far.has_value());
  EXPECT_GE(far->start, 2.5_s);
  EXPECT_LT(steps[static_cast<std::size_t>(far->step - 1)].start, 2.5_s);
}

TEST(Probing, AProbeStopsTrainingForItsCost) {  // one look at the start, 250 ms
  scenario::Scenario scenario = watching({1000_s, 0, 250_ms, false});
  scenario.work.training.steps = 3;
  const ArmResult result = result_of(scenario);
  EXPECT_EQ(result.outside_steps, 250_ms);
  EXPECT_NEAR(result.time.count, 0.25 + 3 * (0.121 + 0.244), 1e-12);
  EXPECT_EQ(steps_of(scenario).front().start, 250_ms);
}

TEST(Probing, CostsComeOncePerInterval) {
  scenario::Scenario scenario = watching({1_s, 0, 100_ms, false});
  scenario.cluster.changes.clear();  // steps of 365 ms: looks before steps 0, 3, 6, ... of 20
  EXPECT_NEAR(result_of(scenario).outside_steps.count, 7 * 0.1, 1e-12);
}

TEST(Probing, ANamedCollectiveNeedsNoProbe) {
  scenario::Scenario scenario = watching({1_s, 0, 100_ms, false});
  scenario.exchange.collective = "ring_allreduce";
  EXPECT_EQ(result_of(scenario).outside_steps, netmodels::Seconds{});
}

TEST(Probing, AChangeDuringAProbeIsThereWhenTheStepBegins) {  // the probe lasts from 0 to 1 s
  scenario::Scenario scenario = watching({1000_s, 0, 1_s, false});
  scenario.cluster.changes = {at_time(0.5_s, {}, 100_ms)};
  scenario.work.training.steps = 1;
  const auto step = steps_of(scenario).front();
  EXPECT_EQ(step.collective, kNear);  // chosen by what the probe saw
  EXPECT_NEAR(step.parts.exchange.count, 4 * 0.1 + 0.24, 1e-12);
}

}  // namespace
}  // namespace sim::engine
