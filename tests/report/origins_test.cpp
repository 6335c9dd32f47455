// Origins: every result says where its numbers come from.
#include "sim/report/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/diloco.hpp"
#include "sim/report/terminal_text.hpp"
#include "tests/report/simulated.hpp"

namespace sim::report {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Origins, NameWorkloadCompressionLearnerEvaluatorsAndOmissions) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  arm.result.evaluators.path = 2;
  arm.result.evaluators.reused = 48;
  const auto lines = origins(test.played);
  EXPECT_THAT(lines, Contains(HasSubstr("compute times: small, roofline on")));
  EXPECT_THAT(lines, Contains(HasSubstr("made up for a test")));
  EXPECT_THAT(lines, Contains("compression times: none"));
  EXPECT_THAT(lines, Contains("learner: none: times only"));
  EXPECT_THAT(lines, Contains("collectives evaluated: 2 by longest path, 48 reused"));
  EXPECT_THAT(lines, Contains(StartsWith("left out: ")));
}

TEST(Origins, AnAuditThatRepeatedNothingIsNamed) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  test.scenario().simulation.audit = 1;
  arm.result.evaluators.nccl = 2;
  EXPECT_THAT(origins(test.played), Contains(StartsWith("audit of `dense`: nothing was repeated; ")));
  test.played.arms.front().result.evaluators.audited = 1;
  EXPECT_THAT(origins(test.played), Not(Contains(StartsWith("audit of "))));
}

TEST(Origins, MemoryNamesTheOuterStatesThatItLeavesOut) {
  TestStudy test;
  test.add("every-step", "none", {phase("all", {})});
  EXPECT_THAT(origins(test.played), Not(Contains(StartsWith("memory besides: "))));
  test.scenario().work.workload.layers.resize(1);
  test.scenario().work.workload.memory.emplace();
  const std::string framework = "memory of the framework: ";
  EXPECT_THAT(origins(test.played), Contains(StartsWith(framework)));
  EXPECT_THAT(origins(test.played), Not(Contains(HasSubstr("outer steps"))));
  test.scenario().exchange.synchronisation =
      policies::synchronisation("diloco", policies::DiLoCo::Settings{.every = 8});
  EXPECT_THAT(origins(test.played), Contains(StartsWith(framework)));
  EXPECT_THAT(
      origins(test.played),
      Contains("memory besides: the last common model and a momentum, which outer steps of `diloco` need, "
               "are left out: the host can keep them between exchanges"));
}

// Ten minutes of a link, and runs of five minutes, of an hour, and of an hour with a trace that repeats.
TEST(Origins, ATraceThatEndsBeforeTheRunIsNamed) {
  TestStudy test;
  SimulatedArm& arm = test.add("dense", "none", {phase("all", {})});
  scenario::LinkTrace& trace = test.scenario().cluster.traces.emplace_back();
  trace.file = "/home/of/someone/wifi.csv";
  trace.points = {{{0}, {}, netmodels::Seconds{1e-3}}, {{600}, {}, netmodels::Seconds{2e-3}}};
  const std::string held =
      "trace of links: `wifi.csv` ends at 10 min, and the run takes 60 min: its last values hold for the "
      "rest";
  arm.result.time = {300};
  EXPECT_THAT(origins(test.played), Not(Contains(held)));
  arm.result.time = {3600};
  EXPECT_THAT(origins(test.played), Contains(held));
  EXPECT_THAT(
      origins(test.played),
      Contains(HasSubstr("links follow wifi.csv, 2 points up to 10 min; its last values hold from there on "
                         "(`period` repeats it)")));
  trace.period = netmodels::Seconds{900};
  EXPECT_THAT(origins(test.played), Not(Contains(held)));
  EXPECT_THAT(
      origins(test.played),
      Contains(HasSubstr("links follow wifi.csv, 2 points up to 10 min; it starts over every 15 min")));
}

TEST(Origins, ArmsOfWhichTheSameIsTrueShareALine) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})});
  test.add("b", "topk", {phase("all", {})});
  test.add("c", "topk", {phase("all", {})});
  const auto lines = origins(test.played);
  EXPECT_THAT(lines, Contains("compression times of `a`: none"));
  EXPECT_THAT(lines, Contains("compression times of `b`, `c`: as stated"));
}

TEST(Origins, ExecutionModelsAreNamedWithTheirOrigin) {
  TestStudy test;
  test.add("dense", "none", {phase("all", {})});
  test.add("a", "topk", {phase("all", {})});
  const auto lines = origins(test.played);
  EXPECT_THAT(lines,
              Contains("execution of `dense`: ddp_overlap (buckets of 1 MiB, then 25 MiB, overlapping the "
                       "backward pass), the default without compression"));
  EXPECT_THAT(lines,
              Contains("execution of `a`: after_backward (the whole gradient at once, after the backward "
                       "pass), the default of `topk`"));
}

TEST(Origins, WhatCompressionCostsTheBackwardPassIsLeftOut) {
  TestStudy test;
  test.add("a", "topk", {phase("all", {})});
  EXPECT_THAT(origins(test.played),
              Contains(HasSubstr("the slowdown of the backward pass by concurrent compression (but for "
                                 "exchange.overlap_slowdown), and stragglers that compress more slowly")));
}

TEST(Origins, EventsAreToldWithTheirTime) {
  TestStudy test;
  test.add("a", "none", {phase("all", {})}).result.events = {
      {{30}, {engine::ReasonKind::failure_stops, {engine::Figure::named("part", "worker 3")}}}};
  EXPECT_THAT(origins(test.played), Contains("`a` at 30 s: worker 3 failed: training stops"));
}

TEST(Wrap, LinesBreakAtBlanksAndAreIndented) {
  const std::string words = std::string(60, 'a') + " " + std::string(60, 'b');
  EXPECT_EQ(wrap(words), std::string(60, 'a') + "\n  " + std::string(60, 'b') + "\n");
  EXPECT_EQ(wrap("short"), "short\n");
}

}  // namespace
}  // namespace sim::report
