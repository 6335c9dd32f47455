// The fuzz targets of `calibrate` for a moment each, in every build: seeded mutations of inputs that are
// accepted.
#include "tests/fuzz/targets.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tests/fuzz/mutator.hpp"
#include "tests/fuzz/seeds.hpp"

namespace fuzz {
namespace {

constexpr int rounds_per_seed = 2000;

class CalibrateTarget : public testing::TestWithParam<Target> {};

TEST_P(CalibrateTarget, SurvivesMutations) {
  Mutator mutated;
  for (const std::string& seed : seeds_of_calibrate(GetParam().name)) {
    ASSERT_FALSE(seed.empty());
    GetParam().run(seed);
    for (int i = 0; i < rounds_per_seed; ++i) GetParam().run(mutated(seed));
  }
}

INSTANTIATE_TEST_SUITE_P(All, CalibrateTarget, testing::ValuesIn(targets_of_calibrate),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(CalibrateTargets, SeedsAreAccepted) {
  EXPECT_TRUE(
      calibrate::measurements::parse_kernel_times(seeds_of_calibrate("kernel_times").front(), "times"));
  EXPECT_TRUE(calibrate::measurements::parse_csv(seeds_of_calibrate("measurements").front(), "table"));
  const auto machines =
      calibrate::ledger::parse_nccl_machines(seeds_of_calibrate("nccl_machines").front(), "machines");
  EXPECT_TRUE(machines) << machines.error().text();
  for (const std::string& seed : seeds_of_calibrate("sim_result"))
    EXPECT_TRUE(calibrate::imports::read_sim_result(seed, "result"));
}

TEST(CalibrateTargets, EachPublishedTableHasItsReader) {
  namespace imports = calibrate::imports;
  const auto seeds = seeds_of_calibrate("published_tables");
  ASSERT_EQ(seeds.size(), 6U);
  EXPECT_TRUE(imports::import_adaptdl(seeds[0], "validation-1024.csv"));
  EXPECT_TRUE(imports::read_adaptdl_placements(seeds[1], "placements.csv"));
  EXPECT_TRUE(imports::read_adaptdl_placements(seeds[2], "scalability.csv"));
  EXPECT_TRUE(imports::import_vtrain_table(seeds[3], "AR_GPU4_1M_1024M_LUT"));
  EXPECT_TRUE(imports::read_vtrain_iterations(seeds[4], "iterations.csv"));
  EXPECT_TRUE(imports::read_live_mpi(seeds[5], "live.csv"));
}

TEST(CalibrateTargets, AreAllRunByTheLongFuzzing) {
  const std::string build = bytes_in_tree("tests/CMakeLists.txt");
  for (const Target& target : targets_of_calibrate)
    EXPECT_NE(build.find(" " + std::string(target.name)), std::string::npos) << target.name;
}

}  // namespace
}  // namespace fuzz
