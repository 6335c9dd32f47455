// Batches, speeds and streams: invalid combinations, and speeds from cores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/checks.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::ElementsAre;

TEST(CheckBatching, CoresMustBeOnePerWorkerAndStandForSpeeds) {
  EXPECT_EQ(cluster_error("cores: [1, 2]"),
            "s.yaml:3:75: `cluster.cores`: 2 cores are given for 4 workers; give one for each worker");
  EXPECT_EQ(cluster_error("speeds: [1, 1, 1, 1], cores: [1, 2, 3, 4]"),
            "s.yaml:3:97: `cluster.cores` needs no stated speeds; `cluster.speeds` states them; leave out "
            "`cluster.speeds` or `cluster.cores`");
}

// Mean 2 cores: (1/2, 1, 1, 3/2), squared.
TEST(CheckBatching, SpeedsFollowCoresToAPower) {
  const std::string text = with_cluster("workers: 4, " + good_link +
                                        ", cores: [1, 2, 2, 3], core_exponent: 2, speed_changes: [{at: epoch "
                                        "1, cores: [2, 2, 2, 2]}]");
  EXPECT_THAT(first_arm(text).cluster.speeds, ElementsAre(0.25, 1, 1, 2.25));
  EXPECT_THAT(first_arm(text).cluster.speed_changes.at(0).speeds, ElementsAre(1, 1, 1, 1));
}

TEST(CheckBatching, AChangeOfSpeedStatesOneKindForEachWorker) {
  EXPECT_EQ(
      cluster_error("speed_changes: [{at: 1 s}]"),
      "s.yaml:3:84: `cluster.speed_changes[0]`: a change states either speeds or cores; write `speeds` or "
      "`cores`, one for each worker");
  EXPECT_EQ(cluster_error("speed_changes: [{at: 1 s, speeds: [1]}]"),
            "s.yaml:3:102: `cluster.speed_changes[0].speeds`: 1 speeds are given for 4 workers; give one for "
            "each worker");
  EXPECT_EQ(
      cluster_error("speed_changes: [{at: 1 s, cores: [1, 1, 1, 1]}]"),
      "s.yaml:3:101: `cluster.speed_changes[0].cores`: the cluster states no cores to begin with; write "
      "`cluster.cores` too, or `speeds` here");
}

TEST(CheckBatching, ABatchLawNamesWorkersThatExistAndAMemoryBeyondTheKnee) {
  EXPECT_EQ(refusal(least + "compute: {batch_limits: [{workers: [4]}]}\n"),
            "s.yaml:5:37: `compute.batch_limits[0].workers[0]`: unknown worker 4; accepted: 0 to 3");
  EXPECT_EQ(
      refusal(least + "compute: {batch_limits: [{knee: 64, memory: 32}]}\n"),
      "s.yaml:5:45: `compute.batch_limits[0].memory`: the memory limit of 32 samples is below the knee at "
      "64; write a `knee` of at most `memory`");
  EXPECT_EQ(
      refusal(least + "compute: {batch_limits: [{memory: 16, beyond: refuse}]}\n"),
      "s.yaml:5:35: `compute.batch_limits[0].memory`: worker 0 starts with 32 samples, its memory holds "
      "16; start with smaller batches, or write `beyond: slow`");
  EXPECT_EQ(refusal(least + "compute: {batch_limits: [{memory: 16}]}\n"), "accepted");
}

TEST(CheckBatching, BoundsMustLeaveRoom) {
  EXPECT_EQ(refusal(least + "batching: {policy: dynamic, min: 9, max: 8}\n"),
            "s.yaml:5:42: `batching.max`: `max` (8 samples) is below `min` (9); write a `max` of at "
            "least `min`");
}

TEST(CheckBatching, TheRateOfAStreamNeedsStreams) {
  EXPECT_EQ(refusal(least + "batching: stream_rate\n"),
            "s.yaml:5:11: `batching: stream_rate` needs a stream for each worker, and nothing provides it; "
            "write `streams`, `batching: uniform` or `batching: proportional`");
  const auto batching =
      first_arm(least + "batching: stream_rate\nstreams: {rates: [50, 38, 12, 36]}\n").work.batching;
  EXPECT_EQ(policies::changes_of(batching).min, 8);
  EXPECT_EQ(policies::changes_of(batching).max, 1024);
}

TEST(CheckBatching, TheExampleOfEveryPolicyIsReadable) {
  for (const policies::BatchingRow& row : policies::batchings()) {
    const std::string text =
        "batching: " + std::string(row.example) + "\nstreams: {rates: [50, 38, 12, 36]}\n";
    EXPECT_EQ(first_arm(least + text).work.batching.name(), row.name);
  }
}

TEST(CheckBatching, WorkersThatDoNotMeetDoNotRestartTogetherAndHaveNoStreams) {
  EXPECT_EQ(refusal(least + "synchronisation: asp\nbatching: {policy: dynamic, restart: 30 s}\n"),
            "s.yaml:6:38: `batching.restart: 30 s` needs workers that wait for each other; `synchronisation: "
            "asp` lets each go at its own pace; write `synchronisation: bsp` or `synchronisation: {method: "
            "periodic, every: 20}`, or leave out `batching.restart`");
  EXPECT_EQ(refusal(least + "synchronisation: asp\nbatching: dynamic\n"), "accepted");
  EXPECT_EQ(refusal(least + "synchronisation: asp\nstreams: {rates: [1, 2, 3, 4]}\n"),
            "s.yaml:6:10: `streams` needs workers that wait for each other; `synchronisation: asp` lets each "
            "go at its own pace; write `synchronisation: bsp` or `synchronisation: {method: periodic, every: "
            "20}`, or leave out `streams`");
}

TEST(CheckBatching, AReplayAndARecordAreOfBatchesOfOneSize) {
  EXPECT_EQ(refusal(least + "batching: dynamic\nlearner: {kind: replay, file: x.csv}\n"),
            "s.yaml:5:11: `batching: dynamic` needs a learner that knows the effect of any batch; `learner: "
            "replay` knows recorded batches only; write `learner: none`, `learner: parametric` or `batching: "
            "uniform`\ns.yaml:6:31: `learner.file`: `x.csv`: file not found; check the path");
  EXPECT_EQ(refusal(least + "batching: dynamic\nlearner: {kind: live, record: {every: 5}}\n"),
            "s.yaml:6:31: `learner.record` needs one batch size for all workers; `batching: dynamic` may "
            "give them different ones; write `batching: uniform`, or leave out `learner.record`");
}

TEST(CheckBatching, StreamsHaveStatedOrDrawnRatesOneForEachWorker) {
  EXPECT_EQ(refusal(least + "streams: {buffer: truncation}\n"),
            "s.yaml:5:10: `streams`: streams need either stated or drawn rates; write `rates`, one for each "
            "worker, or `drawn`");
  EXPECT_EQ(refusal(least + "streams: {rates: [5, 6]}\n"),
            "s.yaml:5:18: `streams.rates`: 2 rates are given for 4 workers; give one for each worker");
  EXPECT_EQ(
      refusal(least + "streams: {drawn: {distribution: normal, mean: 64, deviation: 24, min: 9, max: 8}}\n"),
      "s.yaml:5:79: `streams.drawn.max`: `max` (8) is below `min` (9); write a `max` of at least "
      "`min`");
}

TEST(CheckBatching, RatesChangeInOrderOfTimeForWorkersThatExist) {
  const std::string rates = "streams: {rates: [1, 2, 3, 4], changes: ";
  EXPECT_EQ(refusal(least + rates + "[{at: 5 s, factor: 2}, {at: 4 s, factor: 1}]}\n"),
            "s.yaml:5:69: `streams.changes[1].at`: the change is earlier than the one above it; write "
            "changes in order of time");
  EXPECT_EQ(
      refusal(least + rates + "[{at: 5 s, workers: [0], factor: 2}, {at: 5 s, workers: [1], factor: 3}]}\n"),
      "accepted");
  EXPECT_EQ(refusal(least + rates + "[{at: 5 s}]}\n"),
            "s.yaml:5:42: `streams.changes[0]`: the change has no rate; write `factor` or `rate`");
  EXPECT_EQ(
      refusal(least + rates + "[{at: 5 s, factor: 2, rate: 9}]}\n"),
      "s.yaml:5:42: `streams.changes[0]`: both `factor` and `rate` are given; write `factor` or `rate`");
  EXPECT_EQ(refusal(least + rates + "[{at: 5 s, workers: [9], factor: 2}]}\n"),
            "s.yaml:5:62: `streams.changes[0].workers[0]`: unknown worker 9; accepted: 0 to 3");
}

}  // namespace
}  // namespace sim::scenario
