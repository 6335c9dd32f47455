// The policy that never changes its mind.
#include "policies/fixed_collective.hpp"

#include <array>

#include <gtest/gtest.h>

namespace policies {
namespace {

using namespace netmodels::literals;
using netmodels::Collective;

const Collective* row(std::string_view name) { return *netmodels::find_collective(name); }

TEST(FixedCollective, TakesTheFirstCandidateWhateverTheNetworkDoes) {
  const std::array candidates{row("tree_allreduce"), row("ring_allreduce")};
  const std::array operations{netmodels::Operation{8, 100_MB}};
  FixedCollective policy;
  EXPECT_EQ(policy.choose({std::nullopt, std::nullopt, operations, candidates})->name, "tree_allreduce");
  EXPECT_EQ(policy.choose({NetworkEstimate{{}, 1_Gbps, {}}, std::nullopt, operations, candidates})->name,
            "tree_allreduce");
}

TEST(FixedCollective, ACopyChoosesTheSame) {
  const std::array candidates{row("tree_allreduce"), row("ring_allreduce")};
  EXPECT_EQ(FixedCollective().copy()->choose({{}, {}, {}, candidates})->name, "tree_allreduce");
}

}  // namespace
}  // namespace policies
