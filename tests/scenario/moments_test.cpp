// Moments that a run may not reach: every key that states one, in every way to say when.
#include "sim/scenario/moments.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

/// A key that states a moment, and a scenario that has it after the end of training.
struct MomentKey {
  std::string_view key;       ///< as described
  std::string_view cluster;   ///< more keys of the cluster
  std::string_view scenario;  ///< more keys of the scenario
};

constexpr auto moment_keys = std::to_array<MomentKey>({
    {"cluster.changes[].at", "changes: [{at: 1 h, latency: 2 ms}]", ""},
    {"cluster.speed_changes[].at", "speed_changes: [{at: 1 h, speeds: [1, 1, 1, 0.5]}]", ""},
    {"cluster.background[].start", "background: [{from: 0, to: 1, start: 1 h}]", ""},
    {"cluster.failures[].at", "failures: [{worker: 1, at: 1 h}]", ""},
    {"cluster.absences[].from", "absences: [{worker: 1, from: 1 h}]", ""},
    {"compute.slowdowns[].at", "", "compute: {slowdowns: [{worker: 1, at: 1 h, factor: 2}]}\n"},
    {"streams.changes[].at", "", "streams: {rates: [50, 50, 50, 50], changes: [{at: 1 h, factor: 2}]}\n"},
    {"synchronisation.local_from", "",
     "synchronisation: {method: post_local, every: 2, local_from: step 1000000}\n"},
});

std::string text_of(const MomentKey& key) {
  std::string cluster = "workers: 4, " + good_link;
  if (!key.cluster.empty()) cluster += ", " + std::string(key.cluster);
  return with_cluster(cluster) + std::string(key.scenario);
}

/// Collects the described keys that say from when on the map that has them acts.
class MomentKeyCollector final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  MomentKeyCollector(std::string path, std::set<std::string>& found)
      : path_(std::move(path)), found_(found) {}

  void field(const settings::Key& key, const settings::Type& type, void*) override {
    using Kind = settings::Type::Kind;
    const settings::Type* held = &type;
    std::string path = path_.empty() ? std::string(key.name) : path_ + "." + std::string(key.name);
    while (held->kind == Kind::optional || held->kind == Kind::list) {
      if (held->kind == Kind::list && held->inner->kind == Kind::map) path += "[]";
      held = held->inner;
    }
    const bool is_start = key.name == "at" || key.name == "from" || key.name == "start";
    const bool is_time = held->kind == Kind::quantity && held->print(1) == "1 s";
    if (held->kind == Kind::moment || (is_start && is_time)) found_.insert(path);
    if (held->kind != Kind::map) return;
    MomentKeyCollector inner(path, found_);
    held->describe_default(inner);
  }
  void choice(const settings::Key& key, const settings::Type& type, void* target) override {
    field(key, type, target);
  }
  void deferred(const settings::Key&) override {}
  void figure(const settings::Key&, std::optional<double>&, std::string_view) override {}
  void beside(const settings::Type& type, void* target) override { type.describe(*this, target); }

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }

  std::string path_;
  std::set<std::string>& found_;
};

TEST(Moments, AreThoseOfEveryKeyThatStatesOne) {
  std::set<std::string> described;
  MomentKeyCollector collector("", described);
  settings::type_of<Scenario>().describe_default(collector);
  std::erase_if(described, [](const std::string& key) { return key.starts_with("learner."); });
  std::set<std::string> tested;
  for (const MomentKey& key : moment_keys) tested.emplace(key.key);
  EXPECT_EQ(described, tested);
}

TEST(Moments, AreFoundWithTheirKeyOrWarnedOfAtOnce) {
  for (const MomentKey& key : moment_keys) {
    std::string stated(key.key);
    if (const std::size_t list = stated.find("[]"); list != std::string::npos) stated.replace(list, 2, "[0]");
    const Study read = study(text_of(key));
    ASSERT_EQ(read.arms.size(), 1U) << stated;
    const auto& moments = read.arms.front().moments;
    if (key.key == "synchronisation.local_from") {
      EXPECT_THAT(read.warnings,
                  ElementsAre(AllOf(HasSubstr("`" + stated + "`, "),
                                    EndsWith(" is after the end of training: it has no effect"))));
      EXPECT_THAT(moments, IsEmpty());
      continue;
    }
    ASSERT_EQ(moments.size(), 1U) << stated;
    EXPECT_EQ(moments.front().key, stated);
    EXPECT_THAT(moments.front().place, HasSubstr("s.yaml:")) << stated;
    EXPECT_EQ(describe_moment(moments.front().at), "1 h") << stated;
  }
}

/// Warnings of a change at a moment in a training of 4 workers with 32 samples each.
std::vector<std::string> warned(const std::string& at, const std::string& training) {
  std::string text =
      with_cluster("workers: 4, " + good_link + ", changes: [{at: " + at + ", latency: 2 ms}]");
  text.replace(text.find("epochs: 2, samples: 12800"), 25, training);
  return study(text).warnings;
}

TEST(Moments, OfReplicasThatShareBatchesCountTheirSteps) {
  // 800 samples by two replicas of four workers with a batch of 8: 50 steps
  const tests::ScratchFolder scratch;
  scratch.write("g.csv", "operation,stream,duration_us,after,collective,bytes,among\nmm,compute,10000,,,,\n");
  const auto warnings = [&](const std::string& at) {
    return scenario::read(scratch,
                          "# Traced?\nworkload: {name: t, graph: g.csv, parameters: 100, batch: 8, "
                          "workers_per_replica: 4}\ncluster: {workers: 8, " +
                              good_link + ", changes: [{at: " + at + ", latency: 2 ms}]}\n" +
                              "training: {batch: 8, samples: 800, epochs: 1}\n")
        ->study.warnings;
  };
  EXPECT_THAT(warnings("step 49"), IsEmpty());
  EXPECT_THAT(warnings("step 50"), ElementsAre(EndsWith("is after the end of training: it has no effect")));
}

TEST(Moments, AfterTheEndAreWarnedOfInStepsAndInEpochsOfBothLengths) {
  const auto is_late = ElementsAre(AllOf(HasSubstr(": `cluster.changes[0].at`, "),
                                         EndsWith(" is after the end of training: it has no effect")));
  EXPECT_THAT(warned("step 10", "steps: 10"), is_late);
  EXPECT_THAT(warned("step 9", "steps: 10"), IsEmpty());
  EXPECT_THAT(warned("epoch 2", "epochs: 2, samples: 12800"), is_late);
  // 100 steps of 128 samples are an epoch.
  EXPECT_THAT(warned("step 200", "epochs: 2, samples: 12800"), is_late);
  EXPECT_THAT(warned("step 199", "epochs: 2, samples: 12800"), IsEmpty());
  EXPECT_THAT(warned("epoch 1", "steps: 100, samples: 12800"), is_late);
  EXPECT_THAT(warned("epoch 1", "steps: 101, samples: 12800"), IsEmpty());
  // The last step begins at epoch 1.99.
  EXPECT_THAT(warned("epoch 1.995", "epochs: 2, samples: 12800"), is_late);
  EXPECT_THAT(warned("epoch 1.99", "epochs: 2, samples: 12800"), IsEmpty());
}

TEST(Moments, OfTheLearningRateAreThoseOfItsChanges) {
  const auto warnings = [](const std::string& changes) {
    std::string text = with_cluster("workers: 4, " + good_link) + "learner: {kind: live, rate: {changes: [" +
                       changes + "]}}\n";
    text.replace(text.find("epochs: 2, samples: 12800"), 25, "steps: 10, samples: 3823");
    return study(text).warnings;
  };
  EXPECT_THAT(warnings("{at: step 9, factor: 0.1}"), IsEmpty());
  EXPECT_THAT(warnings("{at: step 9, factor: 0.1}, {at: step 10, factor: 0.1}"),
              ElementsAre(AllOf(HasSubstr(": `learner.rate.changes[1].at`, step 10, "),
                                EndsWith(" is after the end of training: it has no effect"))));
}

TEST(Moments, OfSpeedsAndLocalStepsByEpochNeedToKnowAnEpoch) {
  const auto refused = [](const std::string& cluster, const std::string& more) {
    std::string text = with_cluster("workers: 4, " + good_link + cluster) + more;
    text.replace(text.find("epochs: 2, samples: 12800"), 25, "steps: 10");
    return refusal(text);
  };
  EXPECT_THAT(refused(", speed_changes: [{at: epoch 1, speeds: [1, 1, 1, 2]}]", ""),
              HasSubstr("`training.samples` is missing, although the cluster changes at an epoch"));
  EXPECT_THAT(refused("", "synchronisation: {method: post_local, every: 2, local_from: epoch 1}\n"),
              HasSubstr("`training.samples` is missing, although local steps begin at an epoch"));
}

}  // namespace
}  // namespace sim::scenario
