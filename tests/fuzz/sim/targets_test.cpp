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
  if (target == "sweep_database") return 300 * times;
  return (target == "record" || target == "law" || target == "layer_table" || target == "device" ? 3000
                                                                                                 : 1000) *
         times;
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

/// The seed of a target, as a file of this name, is read.
template <typename Read>
void expect_read(const char* name, std::string_view target, const Read& read) {
  const auto result = read(WrittenInput::put(name, seeds_of(target).front()));
  EXPECT_TRUE(result) << target << ": " << result.error().text();
}

TEST(SimTargets, SeedsAreAccepted) {
  const auto path = WrittenInput::put("seed.db", seeds_of("sweep_database").front());
  EXPECT_EQ(sim::sweep::SweepStore::open(path)->done().size(), 2U);
  EXPECT_TRUE(learning::learners::parse_record(seeds_of("record").front(), "record"));
  EXPECT_TRUE(learning::learners::parse_law(seeds_of("law").front(), "law"));
  expect_read("config.json", "model_config",
              [](const auto& file) { return sim::inputs::read_model_config(file, 512); });
  expect_read("kernels.yaml", "kernel_costs", sim::inputs::read_kernel_costs);
  expect_read("times.yaml", "collective_times", sim::inputs::read_collective_times);
  expect_read("measured.yaml", "nccl_measured", sim::fit::read_nccl_measured);
  expect_read("steps.yaml", "step_figures",
              [](const auto& file) { return sim::scenario::read_step_figures(file, data_folder()); });
  expect_read("trace.csv", "link_trace", sim::scenario::read_trace);
  expect_read("profiles.csv", "profile_table", sim::inputs::read_profile_table);
  expect_read("transport.yaml", "transport",
              [](const auto& file) { return sim::inputs::load_transport(path_value(file), data_folder()); });
  expect_read("stack.yaml", "stack",
              [](const auto& file) { return sim::inputs::read_stack(path_value(file), data_folder()); });
  expect_read("text.txt", "text_dataset",
              [](const auto& file) { return learning::datasets::load_text(file, 8); });
  expect_read("table.data", "csv_dataset",
              [](const auto& file) { return learning::datasets::load_csv({.path = file.string()}); });
}

TEST(SimTargets, AreAllRunByTheLongFuzzing) {
  const std::string build = bytes_in_tree("tests/CMakeLists.txt");
  for (const Target& target : targets_of_sim)
    EXPECT_NE(build.find(" " + std::string(target.name)), std::string::npos) << target.name;
}

}  // namespace
}  // namespace fuzz
