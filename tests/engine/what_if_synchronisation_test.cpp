// The task of each shipped what-if that compares ways of synchronising shows what it costs never to exchange.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "sim/scenario/study.hpp"
#include "tests/engine/clusters.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_tree.hpp"

namespace sim::engine {
namespace {

using namespace testing;

/// The file with more text, and without what it expects.
scenario::Reading read_with(const std::filesystem::path& file, const std::string& text) {
  const tests::ScratchFolder folder;
  const auto path = folder.write("study.yaml", "use: " + file.string() + "\nexpect: []\n" + text);
  return scenario::read_study(path, {}, tests::source_dir() + "/scenarios", {}).value();
}

/// The number of different `synchronisation` among the arms, settings included; an arm may have none.
std::size_t ways_of_synchronising(const scenario::Reading& reading) {
  std::vector<const language::Value*> ways;
  for (const language::Value& arm : reading.arms) {
    const language::Value* way = arm.find("synchronisation");
    const auto same = [way](const language::Value* other) {
      return way && other ? other->same_as(*way) : way == other;
    };
    if (std::ranges::none_of(ways, same)) ways.push_back(way);
  }
  return ways.size();
}

/// Of the mean of the workers' models, in the last five tests.
double accuracy_of(const scenario::Reading& reading, std::string_view name) {
  const auto arm = std::ranges::find(reading.study.arms, name, &scenario::Scenario::name);
  return result_of(*arm).learning.value().last_accuracy.value();
}

/// Whether a small network is trained, on data that the source tree holds.
bool trains_on_shipped_data(const std::filesystem::path& file) {
  const auto document = scenario::read_root(file, {}, tests::source_dir() + "/scenarios");
  if (!document) return false;
  const language::Value* kind = language::find_path(document->root, "learner.kind");
  return kind && kind->text() == "live" && !language::find_path(document->root, "learner.dataset.path");
}

// A task on which it costs nothing cannot tell methods apart by what they cost.
TEST(WhatIfSynchronisation, NeverExchangingCostsMoreThanFivePoints) {
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() + "/scenarios/what_if")) {
    if (entry.path().extension() != ".yaml" || !trains_on_shipped_data(entry.path())) continue;
    if (ways_of_synchronising(read_with(entry.path(), "")) < 2) continue;
    ++compared;
    const auto reading = read_with(entry.path(),
                                   "compare:\n"
                                   "  each step: {synchronisation: {method: periodic, every: 1}}\n"
                                   "  never: {synchronisation: {method: periodic, every: 1000000000}}\n");
    EXPECT_LT(accuracy_of(reading, "never"), accuracy_of(reading, "each step") - 0.05) << entry.path();
  }
  EXPECT_GE(compared, 10U);
}

}  // namespace
}  // namespace sim::engine
