// The simulator's fuzz targets for a moment each, in every build: seeded mutations of inputs that are
// accepted.
#include "tests/fuzz/sim/targets.hpp"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/mutator.hpp"
#include "tests/fuzz/sim/seeds.hpp"

namespace fuzz {
namespace {

/// Fewer where an input costs files, SQLite or a process. GRADSIM_FUZZ_ROUNDS=N multiplies them.
int rounds_of(std::string_view target) {
  const char* asked = std::getenv("GRADSIM_FUZZ_ROUNDS");
  const int times = asked == nullptr ? 1 : std::atoi(asked);
  if (target == "platform") return 40 * times;
  if (target == "scenario") return 150 * times;
  return (target == "sweep_database" ? 300 : 3000) * times;
}

class SimTarget : public testing::TestWithParam<Target> {};

TEST_P(SimTarget, SurvivesMutations) {
  Mutator mutated;
  const std::vector<std::string> seeds = seeds_of(GetParam().name);
  for (const std::string& seed : seeds) {
    ASSERT_FALSE(seed.empty());
    GetParam().run(seed);
    const int rounds = rounds_of(GetParam().name) / static_cast<int>(seeds.size());
    for (int i = 0; i < rounds; ++i) GetParam().run(mutated(seed));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimTarget, testing::ValuesIn(targets_of_sim),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(SimTargets, SeedsAreAccepted) {
  const auto path = WrittenInput::put("seed.db", seeds_of("sweep_database").front());
  EXPECT_EQ(sim::sweep::SweepStore::open(path)->done().size(), 2U);
  EXPECT_TRUE(learning::learners::parse_record(seeds_of("record").front(), "record"));
  EXPECT_TRUE(learning::learners::parse_law(seeds_of("law").front(), "law"));
}

}  // namespace
}  // namespace fuzz
