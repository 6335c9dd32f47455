// Steps gathered into phases: labels, means, throughput and scaling by hand.
#include "sim/engine/phases.hpp"

#include <gtest/gtest.h>

#include "tests/engine/clusters.hpp"

namespace sim::engine {
namespace {

using namespace netmodels::literals;
using namespace testing;
using scenario::Moment;

Moment moment_at(Moment::Unit unit, double value) { return {unit, value}; }

StepRecord step_of(netmodels::Seconds duration, std::string_view collective = "ring_allreduce") {
  StepRecord step;
  step.duration = duration;
  step.parts = {duration / 2, {}, {}, duration / 2};
  step.exchange_busy = duration / 4;
  step.sent = 10_MB;
  step.workers = 4;
  step.collective = collective;
  return step;
}

std::string network() { return "10 Gbit/s, 1 ms"; }

TEST(Phases, ThereIsOneWhenNothingChanges) {
  Phases phases({});
  for (int step = 0; step < 3; ++step) {
    phases.arrive({1.0 * step}, step, 0, network);
    phases.add(step_of(1_s), 40);
  }
  const auto results = phases.results(25);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].label, "from the start: 10 Gbit/s, 1 ms");
  EXPECT_EQ(results[0].steps, 3);
}

TEST(Phases, MeansThroughputAndScalingAreThoseByHand) {  // 3 s for 80 samples; four workers without others
                                                         // would make 4 x 25 a second
  Phases phases({});
  phases.arrive({}, 0, 0, network);
  phases.add(step_of(1_s), 40);
  phases.add(step_of(2_s), 40);
  const PhaseResult result = phases.whole(25);
  EXPECT_EQ(result.label, "whole run");
  EXPECT_EQ(result.time, 3_s);
  EXPECT_EQ(result.step_time(), 1.5_s);
  EXPECT_EQ(result.parts.compute, 0.75_s);
  EXPECT_EQ(result.exchange_busy, 0.375_s);
  EXPECT_EQ(result.sent, 10_MB);
  EXPECT_NEAR(result.samples_per_second, 80.0 / 3, 1e-12);
  EXPECT_NEAR(result.scaling_efficiency, 80.0 / 3 / 100, 1e-15);
}

TEST(Phases, AChangeAtATimeAStepOrAnEpochOpensOne) {
  Phases phases({moment_at(Moment::Unit::time, 5), moment_at(Moment::Unit::step, 7),
                 moment_at(Moment::Unit::epoch, 1.5)});
  for (int step = 0; step < 12; ++step) {
    phases.arrive({1.0 * step}, step, step / 6.0, network);
    phases.add(step_of(1_s), 1);
  }
  const auto results = phases.results(1);
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[1].label, "from 5 s: 10 Gbit/s, 1 ms");
  EXPECT_EQ(results[2].label, "from step 7: 10 Gbit/s, 1 ms");
  EXPECT_EQ(results[3].label, "from epoch 1.5: 10 Gbit/s, 1 ms");
  EXPECT_EQ(results[0].steps, 5);
  EXPECT_EQ(results[1].steps, 2);
  EXPECT_EQ(results[2].steps, 2);
  EXPECT_EQ(results[3].steps, 3);
}

TEST(Phases, ChangesThatComeTogetherOpenOnlyOne) {
  Phases phases({moment_at(Moment::Unit::time, 5), moment_at(Moment::Unit::time, 6)});
  phases.arrive({}, 0, 0, network);
  phases.arrive(10_s, 1, 0, network);
  EXPECT_EQ(phases.current(), 1U);
  EXPECT_EQ(phases.label(), "from 6 s: 10 Gbit/s, 1 ms");
}

TEST(Phases, AChangeAtTheStartNamesTheFirst) {
  Phases phases({moment_at(Moment::Unit::step, 0)});
  phases.arrive({}, 0, 0, network);
  EXPECT_EQ(phases.current(), 0U);
  EXPECT_EQ(phases.label(), "from step 0: 10 Gbit/s, 1 ms");
}

TEST(Phases, TheNetworkIsAskedForNewPhasesOnly) {
  Phases phases({moment_at(Moment::Unit::step, 5)});
  int asked = 0;
  for (int step = 0; step < 10; ++step) {
    phases.arrive({}, step, 0, [&] {
      ++asked;
      return network();
    });
  }
  EXPECT_EQ(asked, 2);
}

TEST(Phases, AfterTwentyFourOneLastPhaseHoldsTheRest) {
  std::vector<Moment> changes;
  for (int step = 1; step <= 100; ++step) changes.push_back(moment_at(Moment::Unit::step, step));
  Phases phases(changes);
  for (int step = 0; step <= 100; ++step) {
    phases.arrive({}, step, 0, network);
    phases.add(step_of(1_s), 1);
  }
  const auto results = phases.results(1);
  ASSERT_EQ(results.size(), 25U);
  EXPECT_EQ(results[23].steps, 1);
  EXPECT_EQ(results.back().label, "from step 24 on: all later changes together");
  EXPECT_EQ(results.back().steps, 101 - 24);
}

TEST(Phases, CountTheStepsOfEachCollective) {
  Phases phases({});
  phases.arrive({}, 0, 0, network);
  for (const char* name : {"ring_allreduce", "tree_allreduce", "ring_allreduce", "ring_allreduce"}) {
    phases.add(step_of(1_s, name), 1);
  }
  const std::map<std::string, std::int64_t> expected{{"ring_allreduce", 3}, {"tree_allreduce", 1}};
  EXPECT_EQ(phases.whole(1).collectives, expected);
}

TEST(Phases, CountTheStepsOfEachMethodAndRatioToThreeDigits) {
  Phases phases({});
  phases.arrive({}, 0, 0, network);
  for (const double ratio : {1.0, 0.0123449, 0.0123451, 0.01231}) {
    StepRecord step = step_of(1_s);
    step.method = ratio < 1 ? "topk" : "none";
    step.ratio = ratio;
    phases.add(step, 1);
  }
  const PhaseResult whole = phases.whole(1);
  EXPECT_EQ(whole.methods, (std::map<std::string, std::int64_t>{{"none", 1}, {"topk", 3}}));
  EXPECT_EQ(whole.ratios.size(), 2U);
  EXPECT_EQ(whole.ratios.begin()->second, 3);
  EXPECT_NEAR(whole.ratios.begin()->first, 0.0123, 1e-12);
  EXPECT_EQ(whole.ratios.at(1), 1);
}

TEST(Phases, OneWithoutStepsHasNoFigures) {
  Phases phases({});
  phases.arrive({}, 0, 0, network);
  const PhaseResult nothing = phases.results(25).front();
  EXPECT_EQ(nothing.steps, 0);
  EXPECT_EQ(nothing.step_time(), netmodels::Seconds{});
  EXPECT_EQ(nothing.samples_per_second, 0);
}

}  // namespace
}  // namespace sim::engine
