// Moments after the end of a run are warned of in its result.
#include "sim/report/result_warnings.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/cluster_cache.hpp"
#include "sim/engine/learners.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/scenario/study.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::report {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view link = "workers: 4, link: {latency: 1 ms, bandwidth: 10 Gbit/s}";

std::vector<std::string> warnings_of(const tests::ScratchFolder& scratch, const std::string& text) {
  const auto reading =
      scenario::read_study(scratch.write("s.yaml", text), {}, tests::source_dir() + "/scenarios", {});
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().text());
  if (!reading) return {};
  SimulatedStudy study{.file = "s.yaml", .study = &reading->study, .arms = {}};
  engine::LearnerShelf shelf(tests::source_dir() + "/scenarios");
  engine::ClusterCache clusters;
  for (const scenario::Scenario& arm : reading->study.arms) {
    auto result = engine::simulate(arm, {}, shelf, clusters);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    if (result) study.arms.push_back({&arm, std::move(*result)});
  }
  return all_warnings(study);
}

/// Warnings of a run of ten steps of 31 ms or more.
std::vector<std::string> warned(const std::string& cluster, const std::string& more = "") {
  const tests::ScratchFolder scratch;
  return warnings_of(
      scratch,
      "# Does it act?\nworkload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\ncluster: {" +
          std::string(link) + cluster + "}\ntraining: {batch: 32, steps: 10, samples: 12800}\n" + more);
}

TEST(ResultWarnings, NameEveryKindOfMomentAfterTheEndOfTheRun) {
  const auto is_late = [](const std::string& key) {
    return ElementsAre(testing::AllOf(HasSubstr("s.yaml:"),
                                      HasSubstr(": `" + key + "`, 1 h, is after the end of the run ("),
                                      EndsWith("): it has no effect")));
  };
  EXPECT_THAT(warned(", changes: [{at: 1 h, latency: 2 ms}]"), is_late("cluster.changes[0].at"));
  EXPECT_THAT(warned(", speed_changes: [{at: 1 h, speeds: [1, 1, 1, 0.5]}]"),
              is_late("cluster.speed_changes[0].at"));
  EXPECT_THAT(warned(", background: [{from: 0, to: 1, start: 1 h}]"), is_late("cluster.background[0].start"));
  EXPECT_THAT(warned(", failures: [{worker: 1, at: 1 h}]"), is_late("cluster.failures[0].at"));
  EXPECT_THAT(warned(", absences: [{worker: 1, from: 1 h}]"), is_late("cluster.absences[0].from"));
  EXPECT_THAT(warned("", "compute: {slowdowns: [{worker: 1, at: 1 h, factor: 2}]}\n"),
              is_late("compute.slowdowns[0].at"));
  EXPECT_THAT(warned("", "streams: {rates: [50, 50, 50, 50], changes: [{at: 1 h, factor: 2}]}\n"),
              is_late("streams.changes[0].at"));
}

TEST(ResultWarnings, AreNoneForMomentsWithinTheRun) {
  EXPECT_THAT(warned(", changes: [{at: 100 ms, latency: 2 ms}, {at: step 9, latency: 3 ms}]"), IsEmpty());
  EXPECT_THAT(warned(", failures: [{worker: 1, at: 100 ms}]"), IsEmpty());
}

TEST(ResultWarnings, NameEpochsThatAClusterOfFewerWorkersDoesNotReach) {
  // Ten steps of 4 x 32 samples end at epoch 0.1, and with three workers earlier; the last one begins before.
  EXPECT_THAT(warned(", failures: [{worker: 1, at: 100 ms}], changes: [{at: epoch 0.09, latency: 2 ms}]"),
              ElementsAre(HasSubstr("`cluster.changes[0].at`, epoch 0.09, is after the end of the run (10 "
                                    "steps): it has no effect")));
}

/// Warnings of a run of one worker.
std::vector<std::string> warned_alone(const std::string& more) {
  const tests::ScratchFolder scratch;
  return warnings_of(
      scratch,
      "# Does it act?\nworkload: {name: tiny, parameters: 1000000, compute: 30 ms, batch: 32}\n"
      "cluster: {workers: 1, link: {latency: 1 ms, bandwidth: 10 Gbit/s}}\ntraining: {batch: 32, steps: "
      "10}\n" +
          more);
}

TEST(ResultWarnings, NameWhatASingleWorkerDoesNotUse) {
  const auto is_idle = [](const std::string& key) {
    return ElementsAre(testing::AllOf(
        HasSubstr("s.yaml:5:"),
        EndsWith(": `" + key + "`: no step exchanges anything, so that times do not depend on it")));
  };
  EXPECT_THAT(warned_alone("compression: {method: topk, ratio: 1 %}\n"), is_idle("compression"));
  EXPECT_THAT(warned_alone("synchronisation: {method: periodic, every: 4}\n"),
              ElementsAre(EndsWith(": `synchronisation`: a single worker has none to wait for")));
  EXPECT_THAT(warned_alone("exchange: {bucket: 1 MiB}\n"), is_idle("exchange"));
  EXPECT_THAT(warned_alone("synchronisation: bsp\n"), IsEmpty());
  EXPECT_THAT(warned("", "compression: {method: topk, ratio: 1 %}\nexchange: {bucket: 1 MiB}\n"), IsEmpty());
}

TEST(ResultWarnings, NameAnIdleKeyOnlyWhereNoArmUsesIt) {
  EXPECT_THAT(warned("", "exchange: {bucket: 1 MiB}\ncompare:\n  one: {cluster: {workers: 1}}\n  four: {}\n"),
              IsEmpty());
}

TEST(ResultWarnings, SayThatBatchesOfEqualWorkersStay) {
  EXPECT_THAT(warned("", "batching: {policy: dynamic}\n"),
              ElementsAre(EndsWith(": `batching`: every worker keeps the batch that `training` states")));
  EXPECT_THAT(warned(", speeds: [1, 1, 1, 0.5]",
                     "batching: {policy: dynamic}\ncompare: {long: {training: {steps: 1000}}}\n"),
              IsEmpty());
}

TEST(ResultWarnings, SayThatNothingWasAudited) {
  EXPECT_THAT(warned_alone("audit: 50 %\n"),
              ElementsAre(EndsWith(": `audit`: no evaluation was repeated by SimGrid")));
}

TEST(ResultWarnings, NameTheRunsThatEndBefore) {
  const std::string change = ", changes: [{at: 500 ms, latency: 2 ms}]";
  EXPECT_THAT(warned(change, "compare:\n  a: {}\n  b: {training: {steps: 100}}\n"),
              ElementsAre(HasSubstr("is after the end of the run of `a` (")));
  EXPECT_THAT(warned(change, "compare:\n  a: {}\n  b: {training: {steps: 9}}\n"),
              ElementsAre(HasSubstr("is after the end of every run (the longest: ")));
}

}  // namespace
}  // namespace sim::report
