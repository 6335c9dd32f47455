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
  EXPECT_EQ(
      refusal(with_more_cluster("failures: [{worker: 1, at: 1 s}]")),
      "s.yaml:3:78: `cluster.failures`: failures need synchronous workers, not `ssp`; leave them out, or "
      "write `synchronisation: bsp`");
}

const std::string kDecoupled = "synchronisation: {method: decoupled_diloco, every: 24, fragments: 24}\n";

TEST(CheckAsynchronous, ModelsAreMergedFromWorkersThatComeAndGo) {
  const std::string with = "workers: 4, " + good_link + ", ";
  EXPECT_EQ(refusal(with_cluster(with + "absences: [{worker: 1, from: 2 min}]") + kDecoupled), "accepted");
  EXPECT_EQ(refusal(with_cluster(with + "failures: [{worker: 1, at: 1 s}]") + kDecoupled),
            "s.yaml:3:78: `cluster.failures`: failures need synchronous workers, not `decoupled_diloco`; "
            "write a worker that fails as one of `cluster.absences`, for example `absences: [{worker: 1, "
            "from: 2 min}]`");
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
      HasSubstr("a parameter server can have its own host only on a star with one worker per node; write "
                "`server: sharded`"));
}

TEST(CheckAsynchronous, AMergingServerUsesNoCollectiveAndWeighsBySamples) {
  EXPECT_THAT(refusal(least + kDecoupled, {"exchange.collective=ring_allreduce"}),
              HasSubstr("`decoupled_diloco` sends models to a server, by no collective"));
  EXPECT_THAT(
      refusal(least + kDecoupled, {"training.weights=uniform"}),
      HasSubstr("no mean over workers exists with `decoupled_diloco`: one server merges their models, by "
                "their samples"));
  EXPECT_THAT(refusal(least + kDecoupled,
                      {"exchange.through={kind: server, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}"}),
              HasSubstr("with `decoupled_diloco` each worker exchanges with a server of its own"));
}

TEST(CheckAsynchronous, ChangesOfTwoRoundsAreRefused) {
  EXPECT_EQ(refusal(least + kDecoupled + "compression: {method: powersgd}\n"),
            "s.yaml:6:23: `compression.method`: `powersgd` needs two rounds among the workers, and with "
            "`decoupled_diloco` each sends by itself; write for example `method: block_topk`");
  EXPECT_EQ(refusal(least + kDecoupled + "compression: {method: int8}\n"), "accepted");
}

TEST(CheckAsynchronous, TrafficWithoutARateIsRefused) {
  EXPECT_EQ(refusal(with_more_cluster("background: [{from: 0, to: 1, rate: 1 Gbit/s}, {from: 2, to: 1}]")),
            "s.yaml:3:115: `cluster.background[1]`: fair-share (adaptive) background traffic is not "
            "supported with `ssp`; give it a `rate`, or write `synchronisation: bsp`");
  EXPECT_EQ(refusal(with_more_cluster("background: [{from: 0, to: 1, rate: 1 Gbit/s}]")), "accepted");
}

TEST(CheckAsynchronous, TcpModelsAreRefused) {
  EXPECT_EQ(refusal(with_more_cluster("preset: tcp-wan")),
            "s.yaml:3:76: `cluster.preset`: `ssp` is evaluated without SimGrid's TCP models; leave it out, "
            "or write `synchronisation: bsp`");
}

TEST(CheckAsynchronous, SharedSamplesAreRefused) {
  EXPECT_EQ(
      refusal(least + kSsp + "learner: {kind: live, injection: {workers: 50 %, batch: 50 %}}\n"),
      "s.yaml:6:34: `learner.injection`: sharing samples needs synchronous workers, not `ssp`; leave it "
      "out, or write `synchronisation: bsp`");
}

TEST(CheckAsynchronous, AServerHasAHostOfItsOwnOnAStarOnly) {
  const std::string racks = "topology: {kind: racks, workers_per_rack: 2, oversubscription: 2}";
  EXPECT_EQ(refusal(with_more_cluster(racks)),
            "s.yaml:5:18: `synchronisation`: a parameter server can have its own host only on a star with "
            "one worker per node; write `server: first_worker`");
  EXPECT_EQ(refusal(with_more_cluster(racks), {"synchronisation.server=first_worker"}), "accepted");
}

TEST(CheckAsynchronous, WhatNeedsWorkersThatMeetIsRefused) {
  EXPECT_EQ(
      refusal(least + kSsp + "compression: {method: ar_topk, ratio: 1 %}\n"),
      "s.yaml:6:23: `compression.method`: AR-Topk needs a synchronous exchange; `ssp` has none; write for "
      "example `method: topk`");
  EXPECT_EQ(refusal(least + kSsp + "exchange: {collective: ring_allreduce}\n"),
            "s.yaml:6:24: `exchange.collective`: `ssp` uses push and pull messages, no collective; leave "
            "it out, or write `synchronisation: bsp`");
  EXPECT_EQ(refusal(least + kSsp, {"training.weights=uniform"}),
            "--set training.weights: `training.weights`: no mean over workers exists with `ssp`: one server "
            "holds the model; leave it out, or write `synchronisation: bsp`");
  EXPECT_EQ(refusal(least + kSsp + "learner: {kind: live, evaluate: average}\n"),
            "s.yaml:6:33: `learner.evaluate`: no mean over workers exists with `ssp`: one server holds the "
            "model; leave it out, or write `synchronisation: bsp`");
  EXPECT_EQ(refusal(least + kSsp + "learner: {kind: live, evaluate: worker}\n"),
            "s.yaml:6:33: `learner.evaluate`: with `ssp` the server has the model, of which workers pull "
            "copies; write `evaluate: method`, which tests the server's model, or leave it out");
  EXPECT_EQ(refusal(least + "synchronisation: {method: decoupled_diloco, every: 20}\n"
                            "learner: {kind: live, evaluate: worker}\n"),
            "accepted");
}

TEST(CheckAsynchronous, EvaluatorsHaveNothingToPrice) {
  const std::string why =
      "evaluators apply to collectives; `ssp` uses none: its messages share links; leave it out, or write "
      "`synchronisation: bsp`";
  EXPECT_EQ(refusal(least + kSsp + "network: simgrid\n"), "s.yaml:6:10: `network`: " + why);
  EXPECT_EQ(refusal(least + kSsp + "audit: 10 %\n"), "s.yaml:6:8: `audit`: " + why);
}

TEST(CheckAsynchronous, OnlyALiveLearnerKnowsWhatStaleGradientsDo) {
  EXPECT_EQ(
      refusal(least + "synchronisation: asp\nlearner: {kind: parametric, file: resnet18_cifar10}\n"),
      "s.yaml:6:10: `learner`: a parametric learner does not model the effect of `asp` on accuracy; write "
      "`kind: live`, or none");
  EXPECT_EQ(refusal(least + "synchronisation: asp\nlearner: live\n"), "accepted");
  EXPECT_EQ(refusal(least + "synchronisation: asp\n"), "accepted");
}

}  // namespace
}  // namespace sim::scenario
