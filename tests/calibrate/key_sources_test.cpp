// Refusals of a scenario that was not written, in terms of the import.
#include "calibrate/key_sources.hpp"

#include <array>

#include <gtest/gtest.h>

namespace calibrate {
namespace {

const std::string scenario_text =
    "# Scenario of a.toml.\n"
    "workload: {model: \"llama2_7b\", sequence: 4096, mfu: 40%}\n"
    "cluster:\n"
    "  workers: 8\n"
    "  nccl:\n"
    "    gpu: {compute_capability: 87, per_node: 8}\n"
    "parallelism: {tensor: 3}\n";

const std::array key_rows{KeySource{"workload.model", "--model"}, KeySource{"workload.mfu", "--mfu"},
                          KeySource{"workload.sequence", "--sequence"},
                          KeySource{"cluster.workers", "--workers"},
                          KeySource{"parallelism.tensor", "parallelism.tensor_parallel_degree"}};

std::string told_by(const std::string& sentence) {
  return with_sources(sentence, "trial", scenario_text, key_rows);
}

TEST(KeySources, TheKeyAtAPlaceHasThePathOfItsMaps) {
  EXPECT_EQ(key_at(scenario_text, 2, 19), "workload.model");
  EXPECT_EQ(key_at(scenario_text, 2, 42), "workload.sequence");
  EXPECT_EQ(key_at(scenario_text, 2, 11), "workload");
  EXPECT_EQ(key_at(scenario_text, 4, 12), "cluster.workers");
  EXPECT_EQ(key_at(scenario_text, 6, 31), "cluster.nccl.gpu.compute_capability");
  EXPECT_EQ(key_at(scenario_text, 0, 1), "");
  EXPECT_EQ(key_at(scenario_text, 9, 1), "");
}

TEST(KeySources, APlaceBecomesTheOptionThatStatesItsKey) {
  EXPECT_EQ(told_by("trial:2:19: unknown workload `llama`; accepted: gpt2_xl"),
            "--model: unknown workload `llama`; accepted: gpt2_xl");
  EXPECT_EQ(told_by("trial:2:54: `workload.mfu`: `140%` is too large; accepted: above 0 and at most 1"),
            "--mfu: `140%` is too large; accepted: above 0 and at most 1");
  EXPECT_EQ(told_by("trial:6:31: `cluster.nccl.gpu.compute_capability`: unknown compute capability `87`"),
            "`cluster.nccl.gpu.compute_capability`: unknown compute capability `87`");
}

TEST(KeySources, PlacesInsideASentenceAreDropped) {
  EXPECT_EQ(told_by("a.csv:1:2: odd; stated at trial:4:12: twice, and at trial:2:1"),
            "a.csv:1:2: odd; stated at the scenario: twice, and at the scenario");
}

TEST(KeySources, KeysBecomeOptionsWithTheirValuesAndKeysOfTheFile) {
  EXPECT_EQ(told_by("config.json:1:1: write `sequence` beside it"),
            "config.json:1:1: write `--sequence` beside it");
  EXPECT_EQ(told_by("state it as `mfu: 45 %`, or `workers: 8`"),
            "state it as `--mfu '45 %'`, or `--workers 8`");
  for (const std::string place :
       {"trial:7:23: ", "trial:7:23: `parallelism.tensor`: ", "trial:9:1: `tensor`: "})
    EXPECT_EQ(told_by(place + "groups of 3 GPUs do not fill nodes of 8"),
              "`parallelism.tensor_parallel_degree`: groups of 3 GPUs do not fill nodes of 8");
}

// Values of a scenario are not those of the file's key.
TEST(KeySources, KeysOfTheFileAreNotNamedBeforeValues) {
  EXPECT_EQ(
      told_by(
          "trial:7:23: `parallelism.tensor`: 112 GB do not fit; fits with `parallelism.tensor`: `3` (9 GB)"),
      "`parallelism.tensor_parallel_degree`: 112 GB do not fit; fits with `parallelism.tensor`: `3` (9 GB)");
  EXPECT_EQ(told_by("write `tensor: 2`"), "write `tensor: 2`");
}

}  // namespace
}  // namespace calibrate
