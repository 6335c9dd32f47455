// Workers that do not wait for each other: what cannot be combined with a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/checks.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::HasSubstr;

const std::string kSsp = "synchronisation: {method: ssp, staleness: 2}\n";

std::string with_more_cluster(const std::string& more) {
  return with_cluster("workers: 4, " + good_link + ", " + more) + kSsp;
}

TEST(CheckAsynchronous, FailuresAreRefused) {
  EXPECT_EQ(refusal(with_more_cluster("failures: [{worker: 1, at: 1 s}]")),
            "s.yaml:3:78: `cluster.failures` needs workers that wait for each other; `synchronisation: ssp` "
            "lets each go at its own pace; write `synchronisation: bsp` or `synchronisation: {method: "
            "periodic, every: 20}`, or leave out `cluster.failures`");
}

const std::string kDecoupled = "synchronisation: {method: decoupled_diloco, every: 24, fragments: 24}\n";

TEST(CheckAsynchronous, ModelsAreMergedFromWorkersThatComeAndGo) {
  const std::string with = "workers: 4, " + good_link + ", ";
  EXPECT_EQ(refusal(with_cluster(with + "absences: [{worker: 1, from: 2 min}]") + kDecoupled), "accepted");
  EXPECT_EQ(refusal(with_cluster(with + "failures: [{worker: 1, at: 1 s}]") + kDecoupled),
            "s.yaml:3:78: `cluster.failures` needs workers that wait for each other; `synchronisation: "
            "decoupled_diloco` lets each go at its own pace; write `synchronisation: bsp` or "
            "`synchronisation: {method: fedavg, every_epochs: 0.25}`, or leave out `cluster.failures`");
}

TEST(CheckAsynchronous, AQuorumIsOfWorkersThatThereAre) {
  EXPECT_EQ(refusal(least + kDecoupled, {"synchronisation.quorum=9"}),
            "--set synchronisation.quorum: `synchronisation.quorum`: a merge would wait for 9 workers, and "
            "there are 4; at most 4");
  EXPECT_EQ(refusal(least + kDecoupled, {"synchronisation.quorum=4"}), "accepted");
}

TEST(CheckAsynchronous, AStepBeginsAtMostOneMerge) {
  EXPECT_EQ(refusal(least + kDecoupled, {"synchronisation.fragments=25"}),
            "--set synchronisation.fragments: `synchronisation.fragments`: 25 fragments do not fit into "
            "`every: 24` steps: at most one merge begins per step; at most 24");
}

TEST(CheckAsynchronous, AMergingServerNeedsAHostOfItsOwnOnlyWhereThatIsStated) {
  const std::string racks = with_cluster(
      "workers: 4, " + good_link + ", topology: {kind: racks, workers_per_rack: 2, oversubscription: 2}");
  EXPECT_EQ(refusal(racks + kDecoupled), "accepted");
  EXPECT_THAT(
      refusal(racks + kDecoupled, {"synchronisation.server=own"}),
      HasSubstr("`synchronisation.server: own` needs one switch between all hosts; `cluster.topology: racks` "
                "has several, or none; write `cluster.topology: star` or `synchronisation.server: sharded`"));
}

TEST(CheckAsynchronous, AMergingServerUsesNoCollectiveAndWeighsBySamples) {
  EXPECT_THAT(refusal(least + kDecoupled, {"exchange.collective=ring_allreduce"}),
              HasSubstr("`exchange.collective: ring_allreduce` needs collectives; `synchronisation: "
                        "decoupled_diloco` uses none; write `synchronisation: bsp` or `synchronisation: "
                        "{method: fedavg, every_epochs: 0.25}`, or leave out `exchange.collective`"));
  EXPECT_THAT(
      refusal(least + kDecoupled, {"training.weights=uniform"}),
      HasSubstr("`training.weights: uniform` needs a mean of the workers' gradients or models; "
                "`synchronisation: decoupled_diloco` has none; write `synchronisation: bsp`, "
                "`synchronisation: {method: fedavg, every_epochs: 0.25}` or `training.weights: by_batch`"));
  EXPECT_THAT(refusal(least + kDecoupled,
                      {"exchange.through={kind: server, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}"}),
              HasSubstr("`exchange.through` needs workers that wait for each other; `synchronisation: "
                        "decoupled_diloco` lets each go at its own pace; write `synchronisation: {method: "
                        "fedavg, every_epochs: 0.25}`, or leave out `exchange.through`"));
}

TEST(CheckAsynchronous, ChangesOfTwoRoundsAreRefused) {
  EXPECT_EQ(refusal(least + kDecoupled + "compression: {method: powersgd}\n"),
            "s.yaml:6:23: `compression.method: powersgd` needs two rounds among the workers; "
            "`synchronisation: decoupled_diloco` allows one; write `synchronisation: bsp`, `synchronisation: "
            "{method: ssp, staleness: 10}`, `compression.method: none` or `compression.method: topk`");
  EXPECT_EQ(refusal(least + kDecoupled + "compression: {method: int8}\n"), "accepted");
}

TEST(CheckAsynchronous, TrafficWithoutARateIsRefused) {
  EXPECT_EQ(refusal(with_more_cluster("background: [{from: 0, to: 1, rate: 1 Gbit/s}, {from: 2, to: 1}]")),
            "s.yaml:3:115: `cluster.background[1]` without a `rate` needs workers that wait for each other; "
            "`synchronisation: ssp` lets each go at its own pace; write `synchronisation: bsp` or "
            "`synchronisation: {method: periodic, every: 20}`, or leave out `cluster.background[1]`");
  EXPECT_EQ(refusal(with_more_cluster("background: [{from: 0, to: 1, rate: 1 Gbit/s}]")), "accepted");
}

TEST(CheckAsynchronous, TcpModelsAreRefused) {
  EXPECT_EQ(refusal(with_more_cluster("preset: tcp-wan")),
            "s.yaml:3:76: `cluster.preset: tcp-wan` needs collectives; `synchronisation: ssp` uses none; "
            "write `synchronisation: bsp` or `synchronisation: {method: periodic, every: 20}`, or leave out "
            "`cluster.preset`");
}

TEST(CheckAsynchronous, SharedSamplesAreRefused) {
  EXPECT_EQ(refusal(least + kSsp + "learner: {kind: live, injection: {workers: 50 %, batch: 50 %}}\n"),
            "s.yaml:6:34: `learner.injection` needs workers that wait for each other; `synchronisation: ssp` "
            "lets each go at its own pace; write `synchronisation: bsp` or `synchronisation: {method: "
            "periodic, every: 20}`, or leave out `learner.injection`");
}

TEST(CheckAsynchronous, AServerHasAHostOfItsOwnOnAStarOnly) {
  const std::string racks = "topology: {kind: racks, workers_per_rack: 2, oversubscription: 2}";
  EXPECT_EQ(refusal(with_more_cluster(racks)),
            "s.yaml:5:18: `synchronisation.server: own` needs one switch between all hosts; "
            "`cluster.topology: racks` has several, or none; write `cluster.topology: star` or "
            "`synchronisation.server: first_worker`");
  EXPECT_EQ(refusal(with_more_cluster(racks), {"synchronisation.server=first_worker"}), "accepted");
}

TEST(CheckAsynchronous, WhatNeedsWorkersThatMeetIsRefused) {
  EXPECT_EQ(refusal(least + kSsp + "compression: {method: ar_topk, ratio: 1 %}\n"),
            "s.yaml:6:23: `compression.method: ar_topk` needs values that all workers select alike; "
            "`synchronisation: ssp` lets each worker select its own; write `synchronisation: bsp`, "
            "`synchronisation: {method: periodic, every: 20}`, `compression.method: powersgd` or "
            "`compression.method: topk`");
  EXPECT_EQ(refusal(least + kSsp + "exchange: {collective: ring_allreduce}\n"),
            "s.yaml:6:24: `exchange.collective: ring_allreduce` needs collectives; `synchronisation: ssp` "
            "uses none; write `synchronisation: bsp` or `synchronisation: {method: periodic, every: 20}`, or "
            "leave out `exchange.collective`");
  EXPECT_EQ(refusal(least + kSsp, {"training.weights=uniform"}),
            "--set training.weights: `training.weights: uniform` needs a mean of the workers' gradients or "
            "models; `synchronisation: ssp` has none; write `synchronisation: bsp`, `synchronisation: "
            "{method: periodic, every: 20}` or `training.weights: by_batch`");
  EXPECT_EQ(refusal(least + kSsp + "learner: {kind: live, evaluate: average}\n"),
            "s.yaml:6:33: `learner.evaluate: average` needs a test of the mean of the workers' models; "
            "`synchronisation: ssp` tests another model; write `synchronisation: bsp`, `synchronisation: "
            "{method: periodic, every: 20}` or `learner.evaluate: method`");
  EXPECT_EQ(refusal(least + kSsp + "learner: {kind: live, evaluate: worker}\n"),
            "s.yaml:6:33: `learner.evaluate: worker` needs a test of one worker's model; `synchronisation: "
            "ssp` tests another model; write `synchronisation: bsp`, `synchronisation: {method: "
            "decoupled_diloco, every: 24, fragments: 24}` or `learner.evaluate: method`");
  EXPECT_EQ(refusal(least + "synchronisation: {method: decoupled_diloco, every: 20}\n"
                            "learner: {kind: live, evaluate: worker}\n"),
            "accepted");
}

TEST(CheckAsynchronous, EvaluatorsHaveNothingToPrice) {
  EXPECT_EQ(refusal(least + kSsp + "network: simgrid\n"),
            "s.yaml:6:10: `network: simgrid` needs collectives; `synchronisation: ssp` uses none; write "
            "`synchronisation: bsp`, `synchronisation: {method: periodic, every: 20}` or `network: auto`");
  EXPECT_EQ(
      refusal(least + kSsp + "audit: 10 %\n"),
      "s.yaml:6:8: `audit: 10 %` needs collectives; `synchronisation: ssp` uses none; write "
      "`synchronisation: bsp` or `synchronisation: {method: periodic, every: 20}`, or leave out `audit`");
}

TEST(CheckAsynchronous, OnlyALiveLearnerKnowsWhatStaleGradientsDo) {
  EXPECT_EQ(refusal(least + "synchronisation: asp\nlearner: {kind: parametric, file: resnet18_cifar10}\n"),
            "s.yaml:5:18: `synchronisation: asp` needs a learner that trains, or none; `learner: parametric` "
            "does not train; write `learner: none`, `learner: live`, `synchronisation: bsp` or "
            "`synchronisation: {method: periodic, every: 20}`");
  EXPECT_EQ(refusal(least + "synchronisation: asp\nlearner: live\n"), "accepted");
  EXPECT_EQ(refusal(least + "synchronisation: asp\n"), "accepted");
}

}  // namespace
}  // namespace sim::scenario
