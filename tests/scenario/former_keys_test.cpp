// Keys that were renamed: read as before, with a warning that says the new name.
#include "sim/scenario/former_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/gravac.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;

TEST(FormerKeys, AreReadAsTheirNewNamesWithAWarning) {
  const Study read = study(least + "batching: {policy: dynamic, least: 8, most: 64}\n");
  EXPECT_EQ(policies::changes_of(read.arms.at(0).work.batching).min, 8);
  EXPECT_EQ(policies::changes_of(read.arms.at(0).work.batching).max, 64);
  EXPECT_THAT(
      read.warnings,
      ElementsAre(EndsWith("s.yaml:5:29: `batching.least` is now called `batching.min`; the former name is "
                           "accepted in this version"),
                  EndsWith("s.yaml:5:39: `batching.most` is now called `batching.max`; the former name is "
                           "accepted in this version")));
}

TEST(FormerKeys, AreFoundInMapsOfAlternativesAndInLists) {
  const Study gravac = study(least +
                             "compression: {policy: gravac, method: topk, gravac: {least_factor: 20}}\n"
                             "learner: live\n");
  EXPECT_EQ(gravac.arms.at(0).exchange.compression.policy,
            policies::compression("gravac", policies::Gravac::Settings{.min_factor = 20}));
  EXPECT_THAT(gravac.warnings,
              ::testing::Contains(::testing::HasSubstr("now called `compression.gravac.min_factor`")));
  const Study laws = study(least + "compute: {batch_laws: [{knee: 4}]}\n");
  EXPECT_EQ(laws.arms.at(0).work.compute.batch_limits.at(0).knee, 4);
  EXPECT_EQ(laws.warnings.size(), 1U);
}

TEST(FormerKeys, TheResolvedScenarioHasThePresentNamesAloneAndRunsAgain) {
  for (const char* text :
       {"batching: {policy: dynamic, least: 8, most: 64}\n", "compute: {batch_laws: [{knee: 4}]}\n",
        "compare: {a: {}, b: {batching: {policy: dynamic, least: 8}}}\n",
        "axes: {rule: {u: {}, d: {batching: {policy: dynamic, least: 8}}}}\n"}) {
    const tests::ScratchFolder scratch;
    const auto first = read(scratch, least + text);
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_FALSE(first->study.warnings.empty()) << text;
    const std::string resolved = print_study(*first);
    const auto again = read(scratch, resolved);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_THAT(again->study.warnings, IsEmpty());
    EXPECT_EQ(again->study.arms.back().work.batching, first->study.arms.back().work.batching) << text;
    EXPECT_EQ(again->study.arms.back().work.compute.batch_limits.size(),
              first->study.arms.back().work.compute.batch_limits.size());
  }
}

TEST(FormerKeys, AFileMayHaveTheFormerNameAndItsBaseThePresentOne) {
  const tests::ScratchFolder scratch;
  scratch.write("base.yaml", least + "batching: {policy: dynamic, min: 8}\n");
  const auto reading = read(scratch, "# Question?\nuse: base.yaml\nbatching: {policy: dynamic, least: 9}\n");
  ASSERT_TRUE(reading) << reading.error().text();
  EXPECT_EQ(policies::changes_of(reading->study.arms.at(0).work.batching).min, 9);
  const auto set = read(scratch, least + "batching: {policy: dynamic, min: 8}\n", {"batching.least=7"});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(policies::changes_of(set->study.arms.at(0).work.batching).min, 7);
}

TEST(FormerKeys, NewNamesWarnOfNothing) {
  EXPECT_THAT(study(least + "batching: {policy: dynamic, min: 8, max: 64}\n").warnings, IsEmpty());
}

TEST(FormerKeys, BothNamesAtOnceAreRefused) {
  EXPECT_THAT(refusal(least + "batching: {policy: dynamic, min: 8, least: 9}\n"),
              ::testing::HasSubstr("s.yaml:5:37: unknown key `batching.least`"));
}

}  // namespace
}  // namespace sim::scenario
