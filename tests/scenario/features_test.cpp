#include "sim/scenario/features.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

// A default is a value, however it is written.
TEST(Features, DefaultsInAnotherUnitAreNotStated) {
  const std::string asp = "synchronisation: asp\n";
  EXPECT_EQ(refusal(least + asp + "audit: 0 %\n"), "accepted");
  EXPECT_EQ(refusal(least + asp + "audit: 0.0\n"), "accepted");
  EXPECT_EQ(refusal(least + "compression: {method: fp16, ratio: 100 %}\n"), "accepted");
  EXPECT_EQ(refusal(least + asp + "batching: {policy: dynamic, restart: 0 ms}\n"), "accepted");
  EXPECT_NE(refusal(least + asp + "batching: {policy: dynamic, restart: 1 ms}\n"), "accepted");
}

TEST(Features, WordsOfOtherKeysAreListedOnlyWhereTheyAreWanted) {
  Scenario scenario = first_arm(least);
  const language::Value nothing = language::Value::map({}, language::Origin());
  const auto has_words = [](const Feature& feature) { return !feature.alternatives.empty(); };
  EXPECT_TRUE(std::ranges::none_of(features_of(scenario, nothing), has_words));
  EXPECT_TRUE(std::ranges::any_of(features_of(scenario, nothing, OtherWords::listed), has_words));
}

TEST(Features, HintsLeaveOutTheItemOfAListOrTheNameOfARow) {
  EXPECT_EQ((Feature{.path = "cluster.failures[1].worker", .label = "", .demands = {}}.leave_out()),
            "cluster.failures[1]");
  EXPECT_EQ((Feature{.path = "cluster.failures", .label = "", .demands = {}}.leave_out()),
            "cluster.failures");
  EXPECT_EQ((Feature{.path = "a[0]", .label = "", .demands = {}, .word = "qwz"}.leave_out()), "qwz");
}

}  // namespace
}  // namespace sim::scenario
