// Properties of every training: parts add up, evaluators agree, audits pass, and the same seed gives the
// same bytes.
#include <random>

#include <gtest/gtest.h>

#include "sim/engine/simulate.hpp"
#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using netmodels::Bandwidth;
using netmodels::Seconds;

/// Numbers that are the same everywhere, unlike those of the standard distributions.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  double below(double most) { return most * (static_cast<double>(random_()) / 4294967296.0); }
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint32_t>(count)); }

 private:
  std::mt19937 random_;
};

/// Five workers with changes every 370 ms, jitter, two periodic traces and, if asked for, traffic that comes
/// and goes.
scenario::Scenario turbulent(bool traffic) {
  scenario::Scenario scenario = layer_by_layer(5, 1_ms, {200e6}, 60);
  scenario.exchange.overlap = true;
  scenario.exchange.overlap_slowdown = 0.2;
  scenario.work.compute.jitter = {scenario::JitterKind::lognormal, 0.1, 0};
  Dice dice(7);
  for (int count = 1; count <= 60; ++count) {
    scenario.cluster.changes.push_back(
        at_time({0.37 * count}, Bandwidth{50e6 + dice.below(200e6)}, Seconds{dice.below(2e-3)}));
    if (count % 3 == 0) scenario.cluster.changes.back().workers = {count % 5};
  }
  scenario.cluster.changes.push_back({{scenario::Moment::Unit::step, 20}, Bandwidth{80e6}, {}, {3}, {}});
  scenario.cluster.traces = {
      {"a.csv", {{{0.1}, Bandwidth{90e6}, {}}, {{0.25}, Bandwidth{190e6}, 2_ms}}, Seconds{0.611}, {2}}};
  if (traffic)
    scenario.cluster.background = {{0, 1, std::nullopt, {0.9}, Seconds{1.3}, Seconds{3.7}},
                                   {4, 2, Bandwidth{20e6}, {0.2}, Seconds{0.9}, Seconds{2.3}}};
  return scenario;
}

void expect_same_steps(const scenario::Scenario& scenario, const char* collective, double tolerance) {
  scenario::Scenario automatic = scenario;
  automatic.exchange.collective = collective;
  scenario::Scenario reference = automatic;
  reference.simulation.evaluator = scenario::Evaluator::simgrid;
  const auto ours = steps_of(automatic);
  const auto theirs = steps_of(reference);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t step = 0; step < ours.size(); ++step) {
    EXPECT_NEAR(ours[step].start.count, theirs[step].start.count, tolerance * theirs.back().start.count)
        << collective;
    EXPECT_NEAR(ours[step].duration.count, theirs[step].duration.count,
                tolerance * theirs[step].duration.count)
        << collective;
  }
}

TEST(Training, AutomaticIsSimGridWhileTheNetworkNeverRests) {
  for (const char* collective : {"ring_allreduce", "halving_doubling_allreduce", "tree_allreduce"}) {
    expect_same_steps(turbulent(false), collective, 1e-9);
  }
}

TEST(Training, AutomaticIsSimGridWhileTrafficComesAndGoes) {
  expect_same_steps(turbulent(true), "ring_allreduce", 1e-9);
}

TEST(Training, AutomaticIsSimGridWhereMessagesMeet) {
  scenario::Scenario scenario = turbulent(true);
  scenario.work.training.steps = 20;
  expect_same_steps(scenario, "parameter_server_allreduce", 1e-9);
}

TEST(Training, AutomaticIsSimGridOnRacksThatShareUplinks) {
  scenario::Scenario scenario = turbulent(false);
  scenario.cluster.workers = 6;
  scenario.cluster.topology = scenario::topology("racks", scenario::Racks{3, 4});
  expect_same_steps(scenario, "halving_doubling_allreduce", 1e-9);
  expect_same_steps(scenario, "ring_allreduce", 1e-9);
}

TEST(Training, AnAuditOfEveryAnswerPasses) {
  scenario::Scenario scenario = turbulent(true);
  scenario.simulation.audit = 1;
  const auto result = played(scenario, {});
  ASSERT_TRUE(result.has_value()) << result.error().text();
  EXPECT_EQ(result->evaluators.audited, 60U * 4);
}

TEST(Training, ReusesPricesOnAQuietNetworkAndNeedsNoSimGrid) {
  const ArmResult result = result_of(layer_by_layer(5, 1_ms, {200e6}, 100));
  EXPECT_EQ(result.evaluators.path, 1U);
  EXPECT_EQ(result.evaluators.reused, 399U);
  EXPECT_EQ(result.evaluators.simgrid, 0U);
}

void expect_identical(const Parts& left, const Parts& right) {
  EXPECT_EQ(left.compute, right.compute);
  EXPECT_EQ(left.wait, right.wait);
  EXPECT_EQ(left.compress, right.compress);
  EXPECT_EQ(left.exchange, right.exchange);
}

void expect_identical(const PhaseResult& left, const PhaseResult& right) {
  EXPECT_EQ(left.label, right.label);
  EXPECT_EQ(left.steps, right.steps);
  EXPECT_EQ(left.time, right.time);
  expect_identical(left.parts, right.parts);
  EXPECT_EQ(left.exchange_busy, right.exchange_busy);
  EXPECT_EQ(left.sent, right.sent);
  EXPECT_EQ(left.samples_per_second, right.samples_per_second);
  EXPECT_EQ(left.scaling_efficiency, right.scaling_efficiency);
  EXPECT_EQ(left.collectives, right.collectives);
}

TEST(Training, TheSameScenarioAndSeedGiveTheSameBitsTwice) {
  scenario::Scenario scenario =
      turbulent(false);  // SimGrid's clock goes on from run to run and moves the last bits
  scenario.exchange.probe = {1_s, 0.2, 10_ms, false};
  scenario.cluster.failures = {{4, std::nullopt, 5_s, std::nullopt}};
  scenario.simulation.audit = 0.3;
  const ArmResult first = result_of(scenario);
  const ArmResult second = result_of(scenario);
  EXPECT_EQ(first.time, second.time);
  EXPECT_EQ(first.outside_steps, second.outside_steps);
  expect_identical(first.whole, second.whole);
  ASSERT_EQ(first.phases.size(), second.phases.size());
  for (std::size_t phase = 0; phase < first.phases.size(); ++phase)
    expect_identical(first.phases[phase], second.phases[phase]);
  EXPECT_EQ(first.evaluators.audited, second.evaluators.audited);
  EXPECT_EQ(first.evaluators.reused, second.evaluators.reused);
}

TEST(Training, AnotherSeedGivesAnotherTraining) {
  scenario::Scenario scenario = turbulent(false);
  const Seconds first = result_of(scenario).time;
  scenario.simulation.seed = 2;
  EXPECT_NE(result_of(scenario).time, first);
}

/// Any workers, compression, buckets, overlap, jitter and speeds.
scenario::Scenario random_scenario(Dice& dice) {
  const int workers = 1 + dice.pick(6);
  scenario::Scenario scenario = plain(workers, {dice.below(5e-3)}, {1e7 + dice.below(1e9)}, 8);
  scenario.exchange.overlap = dice.pick(2) == 0;
  scenario.exchange.overlap_slowdown = dice.pick(2) * dice.below(1);
  scenario.exchange.first_bucket = {dice.pick(2) * 4e6};
  scenario.exchange.bucket = {dice.pick(2) * 8e6};
  const std::vector<std::pair<const char*, const char*>> exchanges{
      {"none", "ring_allreduce"}, {"none", "auto"}, {"topk", "auto"}, {"ar_topk", "ring_allreduce"}};
  const auto& [method, collective] = exchanges[static_cast<std::size_t>(dice.pick(4))];
  scenario.exchange.compression = sent_as(method, 0.02);
  if (scenario.exchange.compression.method != "none")
    scenario.exchange.compression.time = Seconds{dice.below(0.05)};
  scenario.exchange.collective = collective;
  scenario.work.compute.jitter = {static_cast<scenario::JitterKind>(dice.pick(3)), 0.2, 0.2};
  for (int worker = 0; worker < workers; ++worker) scenario.cluster.speeds.push_back(0.5 + dice.below(1));
  scenario.cluster.changes = {at_time({dice.below(1)}, Bandwidth{1e7 + dice.below(1e9)})};
  scenario.simulation.seed = static_cast<std::uint64_t>(dice.pick(1000));
  return scenario;
}

TEST(Training, PartsAddUpToEveryStepAndStepsToTheTime) {
  Dice dice(3);
  for (int count = 0; count < 60; ++count) {
    Seconds sum;
    Listeners listeners;
    listeners.step = [&](const StepRecord& step) {
      EXPECT_NEAR(step.parts.total().count, step.duration.count, 1e-12 * step.duration.count);
      EXPECT_GE(step.parts.wait.count, -1e-15);
      EXPECT_GE(step.exchange_busy.count, step.parts.exchange.count * (1 - 1e-12));
      EXPECT_EQ(step.start, sum);
      sum = step.start + step.duration;
    };
    const scenario::Scenario scenario = random_scenario(dice);
    const auto result = played(scenario, listeners);
    ASSERT_TRUE(result.has_value()) << result.error().text();
    EXPECT_EQ(result->time, sum);
    EXPECT_NEAR(result->whole.parts.total().count, result->whole.step_time().count,
                1e-12 * result->whole.step_time().count);
    EXPECT_LE(result->whole.scaling_efficiency, 2);
  }
}

}  // namespace
}  // namespace sim::engine
