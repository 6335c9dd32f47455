// Measured figures of steps, read from files.
#include "sim/scenario/step_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

netmodels::Result<StepFigures> read_figures(const std::string& text) {
  const tests::ScratchFolder scratch;
  scratch.write("s.yaml", least);
  return read_step_figures(scratch.write("m.yaml", text), data_dir);
}

/// The error's text from the file's name on, or "accepted".
std::string figures_error(const std::string& measured) {
  const auto read = read_figures("scenario: s.yaml\nmeasured: " + measured + "\n");
  if (read) return "accepted";
  const std::string text = read.error().text();
  return text.substr(text.find("m.yaml"));
}

TEST(StepFiguresInAFile, AreReadWithTheirPlaces) {
  const auto read = read_figures(
      "scenario: s.yaml\n"
      "measured:\n"
      "  - {step: 182 ms, arm: dense, workers: 8, within: 3 %}\n"
      "  - {allreduce: 35 ms, bytes: 100 MB}\n"
      "  - {alone: 95 ms}\n"
      "fit: [goodput, compression]\n");
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->measured.size(), 3U);
  EXPECT_DOUBLE_EQ(read->measured[0].time().count, 0.182);
  EXPECT_EQ(read->measured[0].arm, "dense");
  EXPECT_EQ(read->measured[0].workers, 8);
  EXPECT_DOUBLE_EQ(read->measured[0].within, 0.03);
  EXPECT_DOUBLE_EQ(read->measured[1].bytes->count, 1e8);
  EXPECT_DOUBLE_EQ(read->measured[1].within, 0.05);
  EXPECT_DOUBLE_EQ(read->measured[2].time().count, 0.095);
  EXPECT_THAT(read->measured[1].where, EndsWith("m.yaml:4:5"));
  EXPECT_THAT(read->fit, ElementsAre(StepUnknown::goodput, StepUnknown::compression));
  EXPECT_THAT(read->scenario, EndsWith("/s.yaml"));
}

TEST(StepFiguresInAFile, FindAShippedScenarioAndFitEverythingByDefault) {
  const auto read = read_figures("scenario: quickstart.yaml\nmeasured: [{alone: 95 ms}]\n");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(read->scenario, EndsWith("scenarios/quickstart.yaml"));
  EXPECT_THAT(read->fit, IsEmpty());
}

TEST(StepFiguresInAFile, AreAtLeastOneAndAtMostAHundred) {
  EXPECT_EQ(figures_error("[]"),
            "m.yaml:2:11: `measured`: no measured figure; write for example `measured: [{step: 182 ms, "
            "workers: 8}, {alone: 95 ms}]`");
  std::string many = "[{alone: 1 s}";
  for (int i = 0; i < 100; ++i) many += ", {alone: 1 s}";
  EXPECT_EQ(figures_error(many + "]"), "m.yaml:2:11: `measured`: 101 figures; accepted: 1 to 100");
}

TEST(StepFiguresInAFile, HaveOneTimeEach) {
  const std::string hint = "; write one of `step`, `allreduce` and `alone`, and an item for each measurement";
  EXPECT_EQ(figures_error("[{within: 3 %}]"), "m.yaml:2:12: `measured[0]`: it has no measured time" + hint);
  EXPECT_EQ(figures_error("[{step: 2 ms, alone: 1 ms}]"),
            "m.yaml:2:12: `measured[0]`: it has more than one measured time" + hint);
  EXPECT_THAT(figures_error("[{step: 0 s}]"),
              HasSubstr("`measured[0].step`: `0 s` is too small; accepted: above 0 s"));
}

TEST(StepFiguresInAFile, StateTheSizeOfAnAllReduceAndNothingElse) {
  EXPECT_EQ(figures_error("[{allreduce: 2 ms}]"),
            "m.yaml:2:24: `measured[0].allreduce`: the size of the all-reduce is missing; write `bytes: 100 "
            "MB` beside it");
  EXPECT_EQ(figures_error("[{step: 2 ms, bytes: 1 MB}]"),
            "m.yaml:2:32: `measured[0].bytes`: only `allreduce` has a size; leave out `bytes`");
}

TEST(StepFiguresInAFile, StateWorkersWhereThereAreSeveral) {
  EXPECT_EQ(figures_error("[{alone: 2 ms, workers: 8}]"),
            "m.yaml:2:35: `measured[0].workers`: `alone` is measured on one worker; leave out `workers`");
  EXPECT_EQ(figures_error("[{allreduce: 2 ms, bytes: 1 MB, workers: 1}]"),
            "m.yaml:2:52: `measured[0].workers`: an all-reduce needs 2 workers or more; write how many there "
            "were");
}

TEST(StepFiguresInAFile, NameKnownUnknownsAndAFileThatExists) {
  const auto fit = read_figures("scenario: s.yaml\nmeasured: [{alone: 1 s}]\nfit: [godput]\n");
  ASSERT_FALSE(fit);
  EXPECT_THAT(fit.error().text(), HasSubstr("did you mean `goodput`?"));
  const auto missing = read_figures("scenario: t.yaml\nmeasured: [{alone: 1 s}]\n");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("m.yaml:1:11: `scenario`: unknown file `t.yaml`"));
}

TEST(HostOverheadOfAScenario, ReplacesThatOfTheWorkload) {
  const Scenario arm = first_arm(least + "compute: {host_overhead: 12 ms}\n");
  EXPECT_DOUBLE_EQ(arm.work.workload.host_overhead.at(32).count, 0.012);
  EXPECT_DOUBLE_EQ(first_arm(least).work.workload.host_overhead.at(32).count, 0);
}

}  // namespace
}  // namespace sim::scenario
