// The keys of Decoupled DiLoCo, and what cannot be stated.
#include "policies/decoupled_diloco.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/synchronisation_row.hpp"

namespace policies {
namespace {

TEST(DecoupledDiLoCo, HasTheSourcesQuorumAndOverlapWhereNothingIsStated) {
  const MergingServer server = DecoupledDiLoCo{}.server;
  EXPECT_EQ(server.quorum, 1);
  EXPECT_EQ(server.overlap, 2);
  EXPECT_EQ(server.grace, 1);
  EXPECT_EQ(server.mixing, 0);
  EXPECT_EQ(server.host, MergingHost::sharded);
  EXPECT_EQ(server.merging, Merging::radial_directional);
  EXPECT_EQ(server.outer_rate, 0.7);
  EXPECT_EQ(server.outer_momentum, 0.9);
}

TEST(DecoupledDiLoCo, ExchangesModelsAndMergesAFragmentEveryHOverPSteps) {
  const auto stated = synchronisation("decoupled_diloco", DecoupledDiLoCo{{.every = 24, .fragments = 8}});
  EXPECT_TRUE(exchanges_models(stated));
  EXPECT_TRUE(is_asynchronous(stated));
  EXPECT_EQ(period_of(stated), 3);
  EXPECT_EQ(merging_server_of(stated)->fragments, 8);
}

TEST(DecoupledDiLoCo, OnlyAServerOfItsOwnAddsAHost) {
  for (const MergingHost host : {MergingHost::sharded, MergingHost::own, MergingHost::first_worker}) {
    const auto stated = synchronisation("decoupled_diloco", DecoupledDiLoCo{{.host = host}});
    EXPECT_EQ(adds_a_host(stated), host == MergingHost::own);
  }
}

TEST(DecoupledDiLoCo, MoreFragmentsThanStepsAreRefused) {
  const auto problem = problem_of(DecoupledDiLoCo{{.every = 4, .fragments = 5}});
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(problem->key, "fragments");
  EXPECT_EQ(problem->what, "5 fragments do not fit into `every: 4` steps: at most one merge begins per step");
  EXPECT_EQ(problem->hint, "at most 4");
  EXPECT_FALSE(problem_of(DecoupledDiLoCo{{.every = 5, .fragments = 5}}).has_value());
}

TEST(DecoupledDiLoCo, AQuorumOfMoreThanAllWorkersIsRefused) {
  const DecoupledDiLoCo settings{{.quorum = 5}};
  ASSERT_TRUE(settings.problem_with(4).has_value());
  EXPECT_EQ(settings.problem_with(4)->what, "a merge would wait for 5 workers, and there are 4");
  EXPECT_FALSE(settings.problem_with(5).has_value());
}

}  // namespace
}  // namespace policies
