// The policy that never changes its mind.
#include "policies/fixed_compression.hpp"

#include <gtest/gtest.h>

#include "tests/policies/compression_job.hpp"

namespace policies {
namespace {

TEST(FixedCompression, SendsItsChoiceWhateverIsSeen) {
  FixedCompression policy({"topk", 0.01});
  for (const double gain : {1.0, 0.001}) {
    const Decided decided = play(policy, {.gain = [&](const auto&) { return gain; }, .squared_norm = gain});
    EXPECT_EQ(decided, (Decided{{{"topk", 0.01}}, {}, {"topk", 0.01}}));
  }
}

TEST(FixedCompression, IsDenseByDefault) {
  FixedCompression policy({});
  EXPECT_EQ(play(policy, {}).sent, (CompressionChoice{"none", 1}));
}

}  // namespace
}  // namespace policies
