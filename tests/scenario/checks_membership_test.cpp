// Absences and churn that cannot be: the full text of each error.
#include <gtest/gtest.h>

#include "sim/scenario/checks.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

TEST(CheckMembership, WorkersMustExistAndLeaveOnceAtATime) {
  EXPECT_EQ(cluster_error("absences: [{worker: 4, from: 1 s}]"),
            "s.yaml:3:88: `cluster.absences[0].worker`: unknown worker 4; accepted: 0 to 3");
  EXPECT_EQ(cluster_error("churn: {stay: 1 h, away: 1 min, workers: [1, 9]}"),
            "s.yaml:3:113: `cluster.churn.workers[1]`: unknown worker 9; accepted: 0 to 3");
  EXPECT_EQ(cluster_error("absences: [{worker: 1, from: 5 s}, {worker: 1, from: 1 s, until: 6 s}]"),
            "s.yaml:3:103: `cluster.absences[1]`: worker 1 leaves while it is away; write one absence for "
            "both, or a `from` at or after the `until` of the other");
  EXPECT_EQ(cluster_error("absences: [{worker: 1, from: 5 s}, {worker: 1, from: 1 s, until: 5 s}]"),
            "accepted");
  EXPECT_EQ(
      cluster_error("absences: [{worker: 1, from: 5 s, until: 5 s}]"),
      "s.yaml:3:109: `cluster.absences[0].until`: the worker returns before it leaves; write an `until` "
      "after `from`");
  EXPECT_EQ(cluster_error("churn: {stay: 1 h, away: 1 min}"), "accepted");
}

std::string with_absence(const std::string& rest) {
  return refusal(with_cluster("workers: 4, " + good_link + ", absences: [{worker: 1, from: 1 s}]") + rest);
}

TEST(CheckMembership, WhatNeedsTheSameWorkersIsRefused) {
  EXPECT_EQ(with_absence("synchronisation: asp\n"),
            "s.yaml:3:78: `cluster.absences` needs a step after which a worker can leave; `synchronisation: "
            "asp` has none; write `synchronisation: bsp` or `synchronisation: {method: decoupled_diloco, "
            "every: 24, fragments: 24}`, or leave out `cluster.absences`");
  EXPECT_EQ(with_absence("synchronisation: {method: diloco, every: 20, delay: 2}\n"),
            "s.yaml:5:53: `synchronisation.delay: 2` needs a network that stays as it is; `cluster.absences` "
            "changes it; leave out `cluster.absences` or `synchronisation.delay`");
}

}  // namespace
}  // namespace sim::scenario
