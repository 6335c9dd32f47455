// The policy that never changes its mind.
#include "policies/fixed_collective.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/policies/collective_named.hpp"

namespace policies {
namespace {

using namespace netmodels::literals;
using netmodels::Collective;

TEST(FixedCollective, TakesTheFirstCandidateWhateverTheNetworkDoes) {
  const std::array candidates{collective_named("tree_allreduce"), collective_named("ring_allreduce")};
  const std::array operations{netmodels::Operation{8, 100_MB}};
  FixedCollective policy;
  EXPECT_EQ(policy.choose({std::nullopt, std::nullopt, operations, candidates})->name, "tree_allreduce");
  EXPECT_EQ(policy.choose({NetworkEstimate{{{}, 1_Gbps}, {}}, std::nullopt, operations, candidates})->name,
            "tree_allreduce");
}

TEST(FixedCollective, ACopyChoosesTheSame) {
  const std::array candidates{collective_named("tree_allreduce"), collective_named("ring_allreduce")};
  EXPECT_EQ(FixedCollective().copy()->choose({{}, {}, {}, candidates})->name, "tree_allreduce");
}

}  // namespace
}  // namespace policies
