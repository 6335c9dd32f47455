// Failures and checkpoints in closed form: Young's and Daly's intervals, and the expected time of a run.
#include "sim/scenario/availability.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using netmodels::Seconds;

constexpr double hour = 3600;

std::string failing(const std::string& availability, const std::string& cluster = "") {
  return with_cluster(
             "workers: 8, workers_per_node: 2, inner_link: {latency: 10 us, bandwidth: 100 Gbit/s}, " +
             good_link + cluster) +
         "availability: " + availability + "\n";
}

RunWithFailures run_of(const Scenario& arm, Seconds run) {
  return run_with_failures(arm.availability.value(), arm.cluster, run);
}

// Four nodes, each of which fails every 400 h: one failure every 100 h. Young: sqrt(2 x 0.02 h x 100 h) = 2
// h.
TEST(Availability, IntervalsAreYoungsAndDalys) {
  const auto run = run_of(first_arm(failing("{mtbf: 400 h, checkpoint: {write: 72 s, every: 1 h}}")),
                          Seconds{1000 * hour});
  EXPECT_NEAR(run.between_failures.count, 100 * hour, 1e-6);
  EXPECT_NEAR(run.young->count, 2 * hour, 1e-6);
  const double half = 0.02 / 200;
  EXPECT_NEAR(run.daly->count, (2 * (1 + std::sqrt(half) / 3 + half / 9) - 0.02) * hour, 1e-3);
  // 1000 pieces of 1.02 h: 100 h (exp(0.0102) - 1) each
  EXPECT_NEAR(run.expected.count, 1000 * 100 * hour * std::expm1(0.0102), 1e-3);
  EXPECT_LT(run.expected_by_daly->count, run.expected.count);
}

TEST(Availability, TheIntervalIsDalysWhereNoneIsStated) {
  const auto run =
      run_of(first_arm(failing("{mtbf: 400 h, checkpoint: {write: 72 s}}")), Seconds{1000 * hour});
  EXPECT_EQ(run.every, run.daly);
  EXPECT_EQ(run.expected, *run.expected_by_daly);
}

TEST(Availability, WithoutCheckpointsAFailureCostsEverything) {  // 100 h (e - 1) for 100 h
  const auto run = run_of(first_arm(failing("{mtbf: 400 h}")), Seconds{100 * hour});
  EXPECT_NEAR(run.expected.count, 100 * hour * (std::exp(1) - 1), 1e-3);
  EXPECT_FALSE(run.every || run.young || run.daly);
}

TEST(Availability, RecoveryIsAddedToEachFailure) {  // of 1 h: (100 h + 1 h) (e - 1)
  const auto run = run_of(first_arm(failing("{mtbf: 400 h}", ", recovery: 1 h")), Seconds{100 * hour});
  EXPECT_NEAR(run.expected.count, 101 * hour * (std::exp(1) - 1), 1e-3);
}

TEST(Availability, IsSaidInOneSentence) {
  const Scenario arm = first_arm(failing("{mtbf: 400 h, checkpoint: {write: 72 s, every: 1 h}}"));
  EXPECT_EQ(
      describe_availability(*arm.availability, arm.cluster, Seconds{1000 * hour}),
      "the whole run takes 42.7 day in place of 41.7 day: a failure every 4.17 day, a checkpoint of 72 s "
      "every 60 min (Young: 2 h; Daly: 119 min, with which it is 42.5 day)");
  EXPECT_FALSE(first_arm(least).availability);
  const Availability often{.mtbf = Seconds{400}};
  EXPECT_NE(describe_availability(often, arm.cluster, Seconds{1e6}).find("takes without end"),
            std::string::npos);
}

TEST(Availability, RefusesWhatFailsByItself) {
  EXPECT_EQ(
      refusal(failing("{mtbf: 400 h}", ", failures: [{worker: 1, at: 1 s}]")),
      "s.yaml:5:15: `availability` needs a run without failures; `cluster.failures` states some; leave out "
      "`cluster.failures` or `availability`");
  EXPECT_EQ(refusal(failing("{mtbf: 0 h}")),
            "s.yaml:5:22: `availability.mtbf`: `0 h` is too small; accepted: above 0 s");
}

}  // namespace
}  // namespace sim::scenario
