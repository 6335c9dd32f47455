#include "sim/scenario/conflicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sim::scenario {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Feature failing() {
  using enum settings::Capability;
  return {.path = "cluster.failures", .label = "`cluster.failures`", .demands = {.needs = {common_step}}};
}

Feature method(const std::string& name, const settings::Demands& demands) {
  return {.path = "synchronisation.method", .label = "`synchronisation: " + name + "`", .demands = demands};
}

TEST(Conflicts, NoneWhereNothingRulesOutWhatIsNeeded) {
  using enum settings::Capability;
  EXPECT_THAT(conflicts_of({failing(), method("bsp", {})}), IsEmpty());
}

TEST(Conflicts, DenialIsAConflictInBothOrders) {
  using enum settings::Capability;
  const Feature asp = method("asp", {.denies = {common_step}});
  for (const std::vector<Feature>& features : {std::vector{failing(), asp}, std::vector{asp, failing()}}) {
    const std::vector<Conflict> found = conflicts_of(features);
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(
        describe_conflict(found.front()),
        "`cluster.failures` needs workers that wait for each other; `synchronisation: asp` lets each go at "
        "its own pace");
  }
}

TEST(Conflicts, SettingMayNeedWhatItRulesOutForOthers) {
  using enum settings::Capability;
  const Feature one = method("one", {.needs = {still_network}, .denies = {still_network}});
  EXPECT_THAT(conflicts_of({one}), IsEmpty());
  Feature other = one;
  other.path = "cluster.changes";
  EXPECT_THAT(conflicts_of({one, other}), SizeIs(2));
}

TEST(Conflicts, WhatMustBeOfferedIsMissingWhereNothingOffersIt) {
  using enum settings::Capability;
  const Feature policy{.path = "compression.policy",
                       .label = "`compression.policy: gravac`",
                       .demands = {.needs = {sparse}, .denies = {}, .offers = {}}};
  const std::vector<Feature> alone{policy};
  ASSERT_THAT(conflicts_of(alone), SizeIs(1));
  EXPECT_EQ(conflicts_of(alone).front().denying, nullptr);
  const Feature topk{.path = "compression.method", .label = "topk", .demands = {.offers = {sparse}}};
  EXPECT_THAT(conflicts_of({policy, topk}), IsEmpty());
  const Feature denying{.path = "x", .label = "x", .demands = {.denies = {sparse}}};
  EXPECT_THAT(conflicts_of({policy, topk, denying}), SizeIs(1));
}

TEST(Conflicts, RemediesAreThePlainWordAndTheNearestThatLeaveNoConflict) {
  using enum settings::Capability;
  Feature asp = method("asp", {.denies = {common_step, collectives}});
  asp.alternatives = {{"synchronisation: bsp", {}},
                      {"synchronisation: near", {.denies = {collectives}}},
                      {"synchronisation: ssp", {.denies = {common_step}}}};
  const std::vector<Feature> features{failing(), asp};
  const std::vector<Conflict> found = conflicts_of(features);
  ASSERT_THAT(found, SizeIs(1));
  const Remedies remedies = remedies_of(found.front(), features);
  EXPECT_EQ(remedies.text,
            "write `synchronisation: bsp` or `synchronisation: near`, or leave out `cluster.failures`");
  EXPECT_EQ(remedies.first, (std::vector<netmodels::Change>{{"synchronisation", "bsp"}}));
}

TEST(Conflicts, WordThatMakesAnotherConflictIsNoRemedy) {
  using enum settings::Capability;
  Feature asp = method("asp", {.denies = {common_step}});
  asp.alternatives = {{"synchronisation: diloco", {.denies = {gradients_every_step}}},
                      {"synchronisation: bsp", {}}};
  const Feature record{
      .path = "learner.record", .label = "`learner.record`", .demands = {.needs = {gradients_every_step}}};
  const std::vector<Feature> features{failing(), asp, record};
  EXPECT_EQ(remedies_of(conflicts_of(features).front(), features).text,
            "write `synchronisation: bsp`, or leave out `cluster.failures`");
}

TEST(Conflicts, WhatIsUsedAndMissingIsUnreadAndLeftOutFirst) {
  using enum settings::Capability;
  Feature method_word = method("asp", {});
  method_word.alternatives = {{"synchronisation: bsp", {.offers = {some_collectives}}}};
  const Feature overlap{.path = "exchange.overlap",
                        .label = "`exchange.overlap: true`",
                        .demands = {.uses = {some_collectives}}};
  const std::vector<Feature> features{method_word, overlap};
  EXPECT_THAT(conflicts_of(features), IsEmpty());
  const std::vector<Conflict> found = unread_conflicts(features[1], features);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(describe_conflict(found.front()),
            "`exchange.overlap: true` needs collectives, at least inside nodes; `synchronisation: asp` has "
            "none: each worker exchanges with a server by itself");
  const Remedies remedies = remedies_of(found.front(), features);
  EXPECT_EQ(remedies.text, "leave it out, or write `synchronisation: bsp`");
  EXPECT_EQ(remedies.first, (std::vector<netmodels::Change>{{"exchange.overlap", {}}}));
}

TEST(Conflicts, WhatAFabricOffersReachesItsOwnKeysAlone) {
  using enum settings::Capability;
  const auto connections = [](const std::string& fabric) {
    return Feature{.path = fabric + ".connections", .label = "x", .demands = {.uses = {flow_cap}}};
  };
  const Feature offered{
      .path = "cluster.fabric", .label = "", .demands = {.offers = {flow_cap}}, .is_local = true};
  EXPECT_THAT(unread_conflicts(connections("cluster.fabric"), {offered}), IsEmpty());
  EXPECT_THAT(unread_conflicts(connections("cluster.inner_fabric"), {offered}), SizeIs(1));
}

}  // namespace
}  // namespace sim::scenario
