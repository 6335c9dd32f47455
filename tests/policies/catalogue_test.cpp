// The table of policies and the making of exchange policies.
#include "policies/catalogue.hpp"

#include <array>
#include <set>

#include <gtest/gtest.h>

#include "tests/policies/collective_named.hpp"

namespace policies {
namespace {

using namespace netmodels::literals;

TEST(Catalogue, NamesARoleOfTheHouseAndASummaryInEveryRow) {
  const std::set<std::string_view> roles{"synchronisation", "compression", "exchange", "batching",
                                         "planning"};
  for (const PolicyRow& policy : catalogue()) {
    EXPECT_TRUE(roles.contains(policy.role)) << policy.role;
    EXPECT_FALSE(policy.summary.empty()) << policy.name;
  }
}

TEST(Catalogue, HasPoliciesOfEveryRole) {
  std::set<std::string_view> roles;
  for (const PolicyRow& policy : catalogue()) roles.insert(policy.role);
  EXPECT_EQ(roles, (std::set<std::string_view>{"synchronisation", "compression", "exchange", "batching",
                                               "planning"}));
}

TEST(Catalogue, OnlyAsynchronousPoliciesHaveAParameterServer) {
  for (const SynchronisationRow& row : synchronisations())
    EXPECT_EQ(row.server != nullptr, row.name == "asp" || row.name == "ssp") << row.name;
  for (const SynchronisationRow& row : synchronisations())
    EXPECT_EQ(row.merging_server != nullptr, row.name == "decoupled_diloco") << row.name;
}

TEST(Catalogue, ListsEachRoleInOnePieceAndEachNameOncePerRole) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  std::set<std::string_view> closed;
  std::string_view open;
  for (const PolicyRow& policy : catalogue()) {
    EXPECT_TRUE(names.insert({policy.role, policy.name}).second) << policy.name;
    if (policy.role == open) continue;
    EXPECT_TRUE(closed.insert(policy.role).second) << policy.role;
    open = policy.role;
  }
}

TEST(MakeExchangePolicy, AutoFollowsTheNetworkAndANameDoesNot) {
  const std::array candidates{collective_named("ring_allreduce"), collective_named("tree_allreduce")};
  const std::array operations{netmodels::Operation{8, 1_MB}};
  const ExchangeObservation slow_start{NetworkEstimate{{10_ms, 100_Gbps}, {}}, operations, candidates};
  EXPECT_EQ(make_exchange_policy(nullptr, 0)->choose(slow_start)->name, "tree_allreduce");
  EXPECT_EQ(make_exchange_policy(collective_named("ring_allreduce"), 0)->choose(slow_start)->name,
            "ring_allreduce");
}

TEST(NamedCollective, IsNoneWhereAPolicyChooses) {
  EXPECT_EQ(named_collective("auto"), nullptr);
  EXPECT_EQ(named_collective("tree_allreduce"), collective_named("tree_allreduce"));
}

TEST(MakeExchangePolicy, HandsTheHysteresisOn) {
  const std::array candidates{collective_named("ring_allreduce"), collective_named("tree_allreduce")};
  const std::array operations{netmodels::Operation{8, 1_MB}};
  const auto policy = make_exchange_policy(nullptr, 0.99);
  const auto at = [&](netmodels::Bandwidth bandwidth) {
    return policy->choose({NetworkEstimate{{1_ms, bandwidth}, {}}, operations, candidates})->name;
  };
  EXPECT_EQ(at({1e6}), "ring_allreduce");
  EXPECT_EQ(at({1e12}), "ring_allreduce");
}

}  // namespace
}  // namespace policies
