// Names of other programs: each row leads to a key of ours, and errors name it with the converted value.
#include "sim/scenario/words_of_others.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "settings/type.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/document.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/word_search.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Paths of all keys, lists and choices entered.
class Paths final : public settings::Fields {
 public:
  Paths(std::string path, std::set<std::string>& found) : path_(std::move(path)), found_(found) {}
  using Fields::field;
  void field(const settings::Key& key, const settings::Type& type, void*) override {
    const std::string path = path_.empty() ? std::string(key.name) : path_ + "." + std::string(key.name);
    found_.insert(path);
    const settings::Type* held = &type;
    while (held->kind == settings::Type::Kind::optional || held->kind == settings::Type::Kind::list)
      held = held->inner;
    if (held->kind != settings::Type::Kind::map) return;
    Paths inner(path, found_);
    held->describe_default(inner);
  }
  void deferred(const settings::Key& key) override { found_.insert(std::string(key.name)); }
  void figure(const settings::Key&, std::optional<double>&, std::string_view) override {}

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }
  std::string path_;
  std::set<std::string>& found_;
};

std::set<std::string> all_paths() {
  std::set<std::string> found{"cluster.use"};
  Paths scenario("", found);
  settings::type_of<Scenario>().describe_default(scenario);
  for (const inputs::WorkloadForm& form : inputs::workload_forms()) {
    Paths workload("workload", found);
    form.type->describe_default(workload);
  }
  return found;
}

TEST(WordsOfOthers, LeadToKeysThatExist) {
  const std::set<std::string> paths = all_paths();
  for (const KeyOfOthers& row : keys_of_others()) {
    if (row.key.empty()) continue;
    EXPECT_TRUE(paths.contains(std::string(row.key))) << row.name << ": " << row.key;
  }
  for (const ValueOfOthers& row : values_of_others())
    EXPECT_TRUE(paths.contains(std::string(row.key))) << row.name << ": " << row.key;
}

TEST(WordsOfOthers, SayWhyWhereNothingOfOursMeansTheSame) {
  for (const KeyOfOthers& row : keys_of_others()) {
    EXPECT_FALSE(row.of.empty()) << row.name;
    EXPECT_TRUE(!row.key.empty() || (!row.text.empty() && row.convert == nullptr)) << row.name;
  }
}

TEST(WordsOfOthers, AreOneRowForEachMap) {
  std::set<std::pair<std::string_view, std::string_view>> rows;
  for (const KeyOfOthers& row : keys_of_others())
    EXPECT_TRUE(rows.insert({row.name, row.in}).second) << row.name;
}

/// The hints and the changes of what is found.
std::vector<std::string> found_in(const std::string& text) {
  const auto document = language::parse_document(text, "s.yaml");
  std::vector<std::string> texts;
  for (const netmodels::Error& error : find_words_of_others(document->root)) {
    std::string line = error.text() + " ->";
    for (const netmodels::Change& change : error.remedy) line += " " + change.key + "=" + change.value;
    texts.push_back(line);
  }
  return texts;
}

TEST(WordsOfOthers, NodesTimesTheirGpusAreWorkers) {
  EXPECT_THAT(
      found_in("cluster: {nodes: 4, gpus_per_node: 8}"),
      ElementsAre("s.yaml:1:11: unknown key `cluster.nodes`; write `cluster.workers: 32`: nodes times the "
                  "GPUs of each -> cluster.nodes= cluster.workers=32",
                  "s.yaml:1:21: unknown key `cluster.gpus_per_node`; write `cluster.workers_per_node: 8` "
                  "-> cluster.gpus_per_node= cluster.workers_per_node=8"));
  EXPECT_THAT(
      found_in("cluster: {nodes: 4}"),
      ElementsAre("s.yaml:1:11: unknown key `cluster.nodes`; write `cluster.workers`: nodes times the GPUs "
                  "of each -> cluster.nodes="));
}

TEST(WordsOfOthers, AGlobalBatchIsSharedByTheWorkers) {
  EXPECT_THAT(
      found_in("{cluster: {workers: 8}, training: {global-batch-size: 256}}"),
      ElementsAre("s.yaml:1:36: unknown key `training.global-batch-size`; write `training.batch: 32`: "
                  "samples of a worker in a step: the global batch over the workers -> "
                  "training.global-batch-size= training.batch=32"));
}

TEST(WordsOfOthers, AMicroBatchIsOneOfSeveral) {
  EXPECT_THAT(found_in("training: {per_device_train_batch_size: 2, gradient_accumulation_steps: 8}"),
              ElementsAre(testing::HasSubstr("write `training.batch: 16`"),
                          testing::HasSubstr("write `training.accumulation: 8`")));
}

TEST(WordsOfOthers, ValuesOfOurKeysAreTranslated) {
  EXPECT_THAT(found_in("parallelism: {data: SHARD_GRAD_OP}"),
              ElementsAre("s.yaml:1:21: `parallelism.data`: unknown value `SHARD_GRAD_OP`; write `zero2` -> "
                          "parallelism.data=zero2"));
}

TEST(WordsOfOthers, WhatIsNotModelledSaysWhy) {
  EXPECT_THAT(found_in("parallelism: {expert_model_parallel_size: 8}"),
              ElementsAre("s.yaml:1:15: unknown key `parallelism.expert_model_parallel_size`; not modelled: "
                          "expert parallelism; the experts of a layer are on each worker, and no tokens are "
                          "exchanged among them; leave it out -> parallelism.expert_model_parallel_size="));
}

TEST(WordsOfOthers, KeysOfOursAreNone) {
  EXPECT_THAT(
      found_in("{cluster: {workers: 8, link: {latency: 1 ms, bandwidth: 1 Gbit/s}}, training: {batch: "
               "1, steps: 1}, parallelism: {tensor: 2}}"),
      IsEmpty());
}

TEST(ReadStudy, TellsAllErrorsInTheOrderOfTheFile) {
  EXPECT_EQ(
      refusal("# q\nworkload: resnet50_v100\ncluster: {wokers: 8, link: {latency: 1, bandwidth: 1 Gbit/s}}\n"
              "training: {batch: 0, max_steps: 5}\n"),
      "s.yaml:3:11: unknown key `cluster.wokers`; did you mean `workers`? accepted: workers, "
      "workers_per_node, device, link, upload, fabric, inner_link, inner_fabric, worker_links, speeds, "
      "cores, "
      "core_exponent, speed_changes, topology, preset, collective_times, extrapolate, nccl, changes, traces, "
      "background, failures, absences, churn, on_failure, recovery\n"
      "s.yaml:3:38: `cluster.link.latency`: `1` has no unit; expected a time; accepted units: s, ms, us, ns, "
      "min, h, day\n"
      "s.yaml:4:19: `training.batch`: `0` is too small; accepted: at least 1 and at most 1000000000\n"
      "s.yaml:4:22: unknown key `training.max_steps`; write `training.steps: 5`");
}

TEST(ReadStudy, AnErrorOfAllArmsIsToldOnce) {
  const std::string arms = "compare: {one: {}, two: {training: {batch: -1}}, three: {}}\n";
  EXPECT_EQ(
      refusal("# q\nworkload: {name: tiny, parameters: 10, compute: 1 ms, batch: 1}\ncluster: {workers: 0, "
              "link: {latency: 1 ms, bandwidth: 1 Gbit/s}}\ntraining: {batch: 1, steps: 5}\n" +
              arms),
      "s.yaml:3:20: `cluster.workers`: `0` is too small; accepted: at least 1 and at most 4096\n"
      "s.yaml:5:44: `training.batch`: `-1` is too small (in the arm `two`); accepted: at least 1 and at most "
      "1000000000");
}

TEST(ReadStudy, TellsAtMostTwentyErrors) {
  std::string keys;
  for (int i = 0; i < 23; ++i) keys += ", zzzzzz" + std::to_string(i) + ": 1";
  const std::string text = cluster_error("on_failure: stop" + keys);
  EXPECT_EQ(std::ranges::count(text, '\n'), 20) << text;
  EXPECT_TRUE(text.ends_with("\n3 more errors")) << text;
}

}  // namespace
}  // namespace sim::scenario
