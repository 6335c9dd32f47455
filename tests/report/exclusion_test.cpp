// Arms that are not compared, each for the first reason that applies.
#include "sim/report/exclusion.hpp"

#include <gtest/gtest.h>

#include "policies/decoupled_diloco.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

TEST(Exclusion, AnArmThatExchangesIsCompared) {
  TestStudy test;
  const SimulatedArm& arm = test.add("a", "none", {phase("all", {})});
  EXPECT_EQ(why_not_compared(arm), "");
  EXPECT_EQ(figures_of_exclusion(arm), "");
}

TEST(Exclusion, ArmsThatMadeNoStepOrDidNotFinishSayWhy) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {}, 10)});
  arm.result.ending = engine::Ending::interrupted;
  arm.result.local_steps = 10;
  EXPECT_EQ(why_not_compared(arm), "did not finish");
  EXPECT_EQ(figures_of_exclusion(arm), "it was interrupted after 10 steps");
  arm.result.ending = engine::Ending::diverged;
  EXPECT_EQ(figures_of_exclusion(arm), "its loss became NaN after 10 steps");
  arm.result.ending = engine::Ending::stopped_by_failure;
  EXPECT_EQ(figures_of_exclusion(arm), "a failure ended it after 10 steps");
  arm.result.whole.steps = 0;
  EXPECT_EQ(why_not_compared(arm), "made no step");
  EXPECT_EQ(figures_of_exclusion(arm), "it made no step");
}

TEST(Exclusion, WorkersWhoseStepsAreAllLocalNeverExchange) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {}, 10)});
  arm.result.local_steps = 10;
  EXPECT_EQ(why_not_compared(arm), "never exchanges");
  EXPECT_EQ(figures_of_exclusion(arm), "all of its 10 steps are local, so that its workers never exchange");
  test.scenario().cluster.workers = 1;
  EXPECT_EQ(why_not_compared(arm), "");
}

TEST(Exclusion, MergesAreCountedByNodesWhereTheseAreSites) {
  TestStudy test;
  SimulatedArm& arm = test.add("a", "none", {phase("all", {})});
  arm.result.merging = {4, 1.5, 130, 2};
  test.scenario().exchange.synchronisation =
      policies::synchronisation("decoupled_diloco", policies::DecoupledDiLoCo{{.every = 100}});
  test.scenario().cluster.workers_per_node = 4;
  test.scenario().work.parallelism.site = scenario::SiteKind::node;
  EXPECT_EQ(why_not_compared(arm), "hardly merges");
  EXPECT_EQ(
      figures_of_exclusion(arm),
      "a worker makes 130 steps between two merges of the same values, 100 are stated, a merge has 1.5 of 2 "
      "nodes, and 2 messages come too late; a larger `every` or a `compression` needs less bandwidth, and a "
      "quorum waits for those who are away");
}

}  // namespace
}  // namespace sim::report
