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
  EXPECT_EQ(policies::changes_of(read.arms.at(0).batching).min, 8);
  EXPECT_EQ(policies::changes_of(read.arms.at(0).batching).max, 64);
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
  EXPECT_EQ(gravac.arms.at(0).compression.policy,
            policies::compression("gravac", policies::Gravac::Settings{.min_factor = 20}));
  EXPECT_THAT(gravac.warnings,
              ::testing::Contains(::testing::HasSubstr("now called `compression.gravac.min_factor`")));
  const Study laws = study(least + "compute: {batch_laws: [{knee: 4}]}\n");
  EXPECT_EQ(laws.arms.at(0).compute.batch_limits.at(0).knee, 4);
  EXPECT_EQ(laws.warnings.size(), 1U);
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
