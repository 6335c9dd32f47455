// The run folder: all files or none, and their contents.
#include "sim/report/run_folder.hpp"

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/scratch_folder.hpp"

namespace sim::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

engine::StepRecord recorded_step() {
  engine::StepRecord step;
  step.step = 7;
  step.epoch = 0.5;
  step.start = {1.5};
  step.duration = {0.25};
  step.parts.compute = {0.25};
  step.sent = netmodels::Bytes{1000};
  step.workers = 8;
  step.collective = "ring_allreduce";
  step.method = "none";
  return step;
}

TEST(RunFolder, AllFilesAppearTogetherAtTheEnd) {
  const tests::ScratchFolder scratch;
  std::optional<RunFolder> folder = std::move(*RunFolder::open(scratch / "out"));
  folder->begin_arm("dense", 8);
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
  folder->write("{}\n", "workload: x\n");
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
  folder->finish();
  folder.reset();
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/scenario.resolved.yaml", "out/steps.csv",
                                           "out/summary.json", "out/timeline.json"));
}

TEST(RunFolder, GivenUpRunLeavesNothingBehind) {
  const tests::ScratchFolder scratch;
  {
    auto folder = RunFolder::open(scratch / "deep/er/out");
    ASSERT_TRUE(folder.has_value());
    folder->begin_arm("dense", 8);
    folder->add(recorded_step());
  }
  EXPECT_THAT(scratch.files(), IsEmpty());
}

TEST(RunFolder, GivenUpRunKeepsFilesOfAnEarlierOne) {
  const tests::ScratchFolder scratch;
  {
    auto first = RunFolder::open(scratch / "out");
    first->write("{}\n", "a\n");
    first->finish();
  }
  { auto again = RunFolder::open(scratch / "out"); }
  EXPECT_EQ(tests::text_of(scratch / "out/scenario.resolved.yaml"), "a\n");
  EXPECT_EQ(scratch.files().size(), 5U);
}

TEST(RunFolder, RecordsOfAnEarlierRunGoAndOtherFilesStay) {
  const tests::ScratchFolder scratch;
  scratch.write("out/record-a.csv", "old");
  scratch.write("out/notes.txt", "mine");
  {
    auto folder = RunFolder::open(scratch / "out");
    folder->write("{}\n", "a\n");
    folder->finish();
  }
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/notes.txt", "out/scenario.resolved.yaml",
                                           "out/steps.csv", "out/summary.json", "out/timeline.json"));
}

TEST(RunFolder, FileInPlaceOfTheFolderIsRefused) {
  const tests::ScratchFolder scratch;
  scratch.write("out", "mine");
  const auto folder = RunFolder::open(scratch / "out");
  ASSERT_FALSE(folder.has_value());
  EXPECT_EQ(folder.error().text(),
            "--out: `" + (scratch / "out").string() + "` is a file; name a folder; it is created if needed");
}

TEST(StepsCsv, EveryStepIsALineUnderOneHeader) {
  const tests::ScratchFolder scratch;
  StepsCsv steps(scratch / "steps.csv");
  steps.begin_arm("top, 1 %");
  steps.add(recorded_step());
  steps.finish();
  EXPECT_EQ(
      tests::text_of(scratch / "steps.csv"),
      "arm,step,epoch,phase,start_s,step_time_s,compute_time_s,wait_time_s,compress_time_s,exposed_"
      "time_s,exchange_time_s,"
      "sent_bytes,workers,collective,method,ratio,traffic,staleness,loss,squared_norm,mean_squared_"
      "norm,gain,noise_"
      "scale_samples,test_loss,test_accuracy,samples,stream_wait_time_s,buffer_samples,buffer_bytes,"
      "bandwidth_bytes_per_s,latency_s\n"
      "\"top, 1 %\",7,0.5,0,1.5,0.25,0.25,0,0,0,0,1000,8,ring_allreduce,none,1,gradients,0,,,,,,,,0,0,,,,\n");
}

/// The line of one step.
std::string line_of(const engine::StepRecord& step) {
  const tests::ScratchFolder scratch;
  StepsCsv steps(scratch / "steps.csv");
  steps.begin_arm("a");
  steps.add(step);
  steps.finish();
  const std::string text = tests::text_of(scratch / "steps.csv");
  return text.substr(text.find('\n') + 1);
}

TEST(StepsCsv, AStepThatLearnsShowsWhatItSaw) {
  engine::StepRecord step = recorded_step();
  step.traffic = engine::Traffic::parameters;
  step.method = "";
  step.staleness = 3;
  step.learning = engine::LearningStep{2.5, 4, 3, 0.5, 100, {}};
  EXPECT_EQ(
      line_of(step),
      "a,7,0.5,0,1.5,0.25,0.25,0,0,0,0,1000,8,ring_allreduce,,1,parameters,3,2.5,4,3,0.5,100,,,0,0,,,,\n");
  step.learning->evaluated = engine::Evaluated{8, 0.5, {1.75}, {}, 1.25, 0.875};
  EXPECT_THAT(line_of(step), testing::EndsWith(",2.5,4,3,0.5,100,1.25,0.875,0,0,,,,\n"));
}

TEST(StepsCsv, WhatALearnerDoesNotKnowIsEmpty) {  // also where it is no number
  engine::StepRecord step = recorded_step();
  step.traffic = engine::Traffic::nothing;
  step.learning = engine::LearningStep{NAN, 4, {}, {}, INFINITY, engine::Evaluated{}};
  EXPECT_THAT(line_of(step), testing::EndsWith(",nothing,0,,4,,,,,0,0,0,,,,\n"));
}

TEST(StepsCsv, WhatAStepDoesNotHaveIsEmpty) {
  const tests::ScratchFolder scratch;
  StepsCsv steps(scratch / "steps.csv");
  steps.begin_arm("alone");
  engine::StepRecord step = recorded_step();
  step.sent.reset();
  step.collective = "";
  steps.add(step);
  steps.finish();
  const std::string text = tests::text_of(scratch / "steps.csv");
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "alone,7,0.5,0,1.5,0.25,0.25,0,0,0,0,,8,,none,1,gradients,0,,,,,,,,0,0,,,,\n");
}

TEST(StepsCsv, AStepFedByStreamsShowsItsBuffer) {
  engine::StepRecord step = recorded_step();
  step.samples = 192;
  step.parts.stream_wait = {0.5};
  step.buffer = engine::BufferState{70, 40, {7000}, 900};
  EXPECT_THAT(line_of(step), testing::EndsWith(",192,0.5,70,7000,,\n"));
}

TEST(StepsCsv, AStepShowsTheNetworkBetweenNeighbours) {
  engine::StepRecord step = recorded_step();
  step.network = netmodels::LinkState{{0.001}, {1.25e9}};
  EXPECT_THAT(line_of(step), testing::EndsWith(",1250000000,0.001\n"));
}

TEST(Timeline, WorkersAreProcessesAndLanesAreThreads) {
  const tests::ScratchFolder scratch;
  Timeline timeline(scratch / "timeline.json");
  timeline.begin_arm("a", 2);
  timeline.add(engine::Span{1, "compute", "forward", {0.001}, {0.002}, 0});
  timeline.begin_arm("b \"quoted\"", 2);
  timeline.add(engine::Span{0, "exchange", "bucket 1", {0.003}, {0.004}, 0});
  timeline.finish();
  const auto events = nlohmann::json::parse(tests::text_of(scratch / "timeline.json"))["traceEvents"];
  ASSERT_EQ(events.size(), 8U);  // three lines of names before the first span of each worker
  EXPECT_EQ(events[0]["args"]["name"], "a: worker 1");
  EXPECT_EQ(events[3]["ph"], "X");
  EXPECT_EQ(events[3]["pid"], 1);
  EXPECT_DOUBLE_EQ(events[3]["ts"], 1000);
  EXPECT_DOUBLE_EQ(events[3]["dur"], 2000);
  EXPECT_EQ(events[4]["args"]["name"], "b \"quoted\": worker 0");
  EXPECT_EQ(events[7]["pid"], 2);
}

TEST(Timeline, WithoutSpansItIsStillATimeline) {
  const tests::ScratchFolder scratch;
  Timeline timeline(scratch / "timeline.json");
  timeline.finish();
  EXPECT_TRUE(nlohmann::json::parse(tests::text_of(scratch / "timeline.json"))["traceEvents"].empty());
}

}  // namespace
}  // namespace sim::report
