// The one sentence that answers.
#include "sim/report/answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/report/learning.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::StartsWith;

TEST(Answer, IsTheVerdictOverTheWholeRun) {
  TestStudy test;
  test.add("dense", "none", {phase("early", {.exchange_ms = 10}), phase("late", {.exchange_ms = 200})});
  test.add("topk", "topk", {phase("early", {.exchange_ms = 50}), phase("late", {.exchange_ms = 50})});
  EXPECT_THAT(answer(test.played), StartsWith("whole run: "));
}

TEST(Answer, IsWhoReachesTheTargetWhereThereIsOne) {
  TestStudy test;
  for (const char* name : {"slow", "fast"}) {
    SimulatedArm& arm = test.add(name, "none", {phase("all", {})});
    test.scenario().learner.target = 0.9;
    engine::Evaluated reached;
    reached.steps = 10;
    reached.at = {name == std::string("fast") ? 1.0 : 2.0};
    reached.accuracy = 0.95;
    arm.result.learning = engine::LearningResult{};
    arm.result.learning->curve = {reached};
    arm.result.learning->target = reached;
  }
  EXPECT_THAT(answer(test.played), StartsWith("90.00 % accuracy is reached by `fast` after 1 s"));
}

TEST(Answer, OfOneArmIsWhatItTakes) {
  TestStudy test;
  test.add("alone", "none", {phase("all", {.compute_ms = 100, .exchange_ms = 300})});
  EXPECT_EQ(answer(test.played),
            "`alone` takes 400 ms per step and 4 s in all; most of it goes to exchange, 75 % of the step.");
}

TEST(Answer, OfNothingSaysSo) {
  const TestStudy test;
  EXPECT_EQ(answer(test.played), "No arm was played to its end.");
}

}  // namespace
}  // namespace sim::report
