// Configurations of training programs become scenarios that the simulator accepts, and mean the same.
#include <filesystem>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/commands.hpp"
#include "calibrate/exit_code.hpp"
#include "files/input_file.hpp"
#include "policies/zero_one.hpp"
#include "sim/scenario/parallelism.hpp"
#include "sim/scenario/scenario.hpp"
#include "tests/arm_parts.hpp"
#include "tests/scenario/scenario_text.hpp"

namespace sim::scenario {
namespace {

using testing::HasSubstr;

const std::string imported_configs = tests::source_dir() + "/tests/imported/configs/";

calibrate::ImportConfigOptions on_64_h100(const std::string& format, const std::string& file) {
  return {.format = format,
          .file = imported_configs + file,
          .cluster = "nvidia_dgx_h100",
          .workers = 64,
          .device = "h100_sxm_datasheet",
          .stack = "pytorch-fsdp-2023"};
}

Scenario imported(calibrate::ImportConfigOptions options) {
  const tests::ScratchFolder scratch;
  std::ostringstream out;
  std::ostringstream log;
  options.output = (scratch / "imported.yaml").string();
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_done) << log.str();
  const auto reading = read_study(options.output, {}, data_dir, some_metrics);
  EXPECT_TRUE(reading) << reading.error().text();
  return reading ? reading->study.arms.front() : Scenario{};
}

TEST(ImportedScenarios, TorchtitanOnTensorGroupsIsSharedAmongNodes) {
  auto options = on_64_h100("torchtitan", "llama3_70b_tp8.toml");
  options.stack = "megatron-te-2025";
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.work.workload.name, "llama3_70b");
  EXPECT_EQ(scenario.work.parallelism.tensor, 8);
  EXPECT_EQ(scenario.work.parallelism.sharding(), netmodels::find_sharding("fsdp")->shares);
  EXPECT_THAT(describe_sharding(scenario), HasSubstr("fsdp over 8 workers by blocks, 1 gathered ahead"));
  EXPECT_EQ(scenario.work.training.batch, 8);
  EXPECT_EQ(scenario.work.training.steps, 1000);
}

TEST(ImportedScenarios, ZeroPlusPlusOfDeepSpeedIsItsThreeParts) {
  auto options = on_64_h100("deepspeed", "zeropp.json");
  options.workers_per_node = 8;
  options.model = "llama2_7b";
  options.recomputation = "full";
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.work.parallelism.compress, (std::vector<std::string>{"qwz", "hpz", "qgz"}));
  EXPECT_EQ(scenario.work.training.batch, 2);  // 128 samples = 64 GPUs x 2 x 1 pass
  EXPECT_EQ(scenario.work.training.accumulation, 1);
}

TEST(ImportedScenarios, OneBitAdamSendsSigns) {
  auto options = on_64_h100("deepspeed", "onebit_adam.json");
  options.stack.clear();
  options.mfu = "30 %";
  options.model = "gpt2_xl";
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.exchange.compression.method, "onebit_adam");
  EXPECT_FALSE(scenario.work.parallelism.is_sharded());
  EXPECT_EQ(scenario.work.training.batch, 16);
}

TEST(ImportedScenarios, ZeroOneAdamFollowsItsSchedule) {
  auto options = on_64_h100("deepspeed", "zero_one_adam.json");
  options.stack.clear();
  options.mfu = "30 %";
  options.model = "gpt2_xl";
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.exchange.compression.method, "onebit_adam");
  EXPECT_EQ(scenario.exchange.synchronisation,
            policies::synchronisation("zero_one",
                                      policies::ZeroOne::Settings{.freeze_after = 23000, .local_limit = 8}));
}

TEST(ImportedScenarios, TheModelOfATrainerIsTheConfigBesideItsArguments) {
  auto options = on_64_h100("hf-trainer", "with_model/training_args.json");
  options.sequence = 2048;
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.work.workload.parameters(), 1'100'048'384);  // as TinyLlama states
  EXPECT_EQ(scenario.work.parallelism.sharding(), netmodels::find_sharding("hsdp")->shares);
  EXPECT_EQ(scenario.work.training.batch, 32);
  EXPECT_EQ(scenario.work.training.accumulation, 8);
}

TEST(ImportedScenarios, WhatIsAutoForDeepSpeedIsAsInTheArguments) {
  auto options = on_64_h100("hf-trainer", "with_model/zero2_args.json");
  options.sequence = 2048;
  const Scenario scenario = imported(options);
  EXPECT_EQ(scenario.work.parallelism.sharding(), netmodels::find_sharding("zero2")->shares);
  EXPECT_EQ(scenario.work.training.batch, 8);
  EXPECT_EQ(scenario.work.training.accumulation, 2);
  EXPECT_EQ(scenario.work.parallelism.states.parameter, 2);
  EXPECT_EQ(scenario.work.parallelism.states.optimizer, 12);
}

TEST(ImportedScenarios, RefusalsWriteNothing) {
  const tests::ScratchFolder scratch;
  auto options = on_64_h100("deepspeed", "zeropp.json");
  options.output = (scratch / "imported.yaml").string();
  std::ostringstream out;
  std::ostringstream log;
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_refused);
  EXPECT_THAT(log.str(), HasSubstr("--model: "));
  options.workers = 0;
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_refused);
  EXPECT_THAT(log.str(), HasSubstr("--workers: `0` is out of range; accepted: 1 to 1000000\n"));
  EXPECT_TRUE(scratch.files().empty());
}

/// A program in place of `sim` that prints and says this and ends so; `$2` is the file that it checks.
std::string other_simulator(const tests::ScratchFolder& scratch, std::string said, int status,
                            const std::string& printed = "") {
  for (std::size_t at = said.find('`'); at != std::string::npos; at = said.find('`', at + 2))
    said.insert(at, 1, '\\');
  const auto file = scratch.write(
      "sim",
      fmt::format("#!/bin/sh\nprintf '{}'\nprintf '%s\\n' \"{}\" >&2\nexit {}\n", printed, said, status));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file.string();
}

TEST(ImportedScenarios, WhatWouldNotRunIsNotWritten) {
  const tests::ScratchFolder scratch;
  auto options = on_64_h100("torchtitan", "llama3_70b_tp8.toml");
  options.output = (scratch / "imported.yaml").string();
  options.simulator = other_simulator(scratch, "no peak in bf16; accepted: fp32", 1);
  std::ostringstream out;
  std::ostringstream log;
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_refused);
  EXPECT_THAT(log.str(), testing::EndsWith("the scenario would not run: no peak in bf16; accepted: fp32\n"));
  EXPECT_EQ(scratch.files().size(), 1U);  // the program
  options.simulator = other_simulator(scratch, "odd", 1);
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_refused);
  EXPECT_THAT(log.str(),
              testing::EndsWith("the scenario would not run: odd; change the options of the import, "
                                "or the configuration\n"));
  options.simulator = other_simulator(scratch, "warning: odd", 0);
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_done);
  EXPECT_EQ(scratch.files().size(), 2U);
  options.simulator = (scratch / "missing").string();
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_done);
}

/// The text and the log of an import whose scenario is checked by this program.
std::pair<std::string, std::string> checked_import(calibrate::ImportConfigOptions options,
                                                   const std::string& said, int status,
                                                   const std::string& printed = "") {
  const tests::ScratchFolder scratch;
  options.output = (scratch / "imported.yaml").string();
  options.simulator = other_simulator(scratch, said, status, printed);
  std::ostringstream out;
  std::ostringstream log;
  calibrate::run_import_config(options, out, log);
  const auto text = files::read_text(options.output);
  return {text.value_or(""), log.str()};
}

// `$2` is the name of the file that is checked; line 4 of it states the workload, from column 11 on.
TEST(ImportedScenarios, RefusalsNameOptionsAndKeysOfTheConfiguration) {
  auto options = on_64_h100("deepspeed", "zeropp.json");
  options.model = "llama2_7b";
  options.workers_per_node = 8;
  const auto said = [&](const std::string& sentence) { return checked_import(options, sentence, 1).second; };
  EXPECT_THAT(said("unknown: write `model: a b` or `workload.device`"),
              HasSubstr("would not run: unknown: write `--model 'a b'` or `--device`"));
  EXPECT_THAT(said("`parallelism.data`: too large; name less"),
              HasSubstr("`zero_optimization.stage`: too large"));
  EXPECT_THAT(said("`workload.precision`: no peak; fp32"), HasSubstr("`fp16.enabled`: no peak"));
  EXPECT_THAT(said("$2:1:1: odd; even"), HasSubstr("would not run: odd; even\n"))
      << "no place in the scenario";
}

TEST(ImportedScenarios, WarningsAndTheTokensOfASampleAreSaidInTheFileAndInTheLog) {
  auto options = on_64_h100("deepspeed", "onebit_adam.json");
  options.model = "gpt2_xl";
  const auto [text, log] = checked_import(options, "warning: $2:1:1: `workload`: 8 experts", 0,
                                          "workload:\\n  sequence: 1024    # of the model\\n");
  for (const std::string& said : {text, log}) {
    EXPECT_THAT(said, HasSubstr("arning: `workload`: 8 experts"));
    EXPECT_THAT(said,
                HasSubstr("The configuration does not state the tokens of a sample: 1024 are those of the "
                          "model; `--sequence` states another.\n"));
  }
  options.sequence = 512;
  EXPECT_THAT(checked_import(options, "", 0, "workload:\\n  sequence: 512\\n").second,
              testing::Not(HasSubstr("tokens of a sample")));
}

// The GPUs of a node are those of the cluster, as `sim check` prints them.
TEST(ImportedScenarios, CopiesOfANodeAreKnownFromTheCluster) {
  const tests::ScratchFolder scratch;
  auto options = on_64_h100("torchtitan", "");
  options.file = scratch
                     .write("hsdp.toml",
                            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                            "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 32\n")
                     .string();
  const auto on_nodes_of = [&](const std::string& gpus) {
    return checked_import(options, "", 0, "cluster:\\n  workers_per_node: " + gpus + "  # of the cluster\\n");
  };
  EXPECT_THAT(
      on_nodes_of("8").second,
      HasSubstr("a copy of the states takes 32 GPUs, and a node has 8: groups other than a node are not "
                "simulated; accepted: `data_parallel_replicate_degree` 8 with"));
  EXPECT_THAT(on_nodes_of("32").first, HasSubstr("data: \"hsdp\""));
}

TEST(ImportedScenarios, ANodeThatWouldNotRunIsNotWritten) {
  const tests::ScratchFolder scratch;
  const std::string matrix =
      scratch.write("topo.txt", "\tGPU0\tGPU1\tCPU Affinity\nGPU0\tX\tNV4\t0\nGPU1\tNV4\tX\t0\n").string();
  calibrate::ImportTopologyOptions options{
      .file = matrix, .output = (scratch / "node.yaml").string(), .compute_capability = 86};
  options.simulator = other_simulator(scratch, "the mesh is not connected; join all GPUs", 1);
  std::ostringstream out;
  std::ostringstream log;
  EXPECT_EQ(calibrate::run_import_topology(options, out, log), calibrate::exit_refused);
  EXPECT_EQ(log.str(), matrix +
                           ": the node cannot be simulated: the mesh is not connected; join all GPUs; change "
                           "the options of the import, or describe the node by hand\n");
  EXPECT_EQ(scratch.files().size(), 2U);  // the matrix and the program
  options.simulator = other_simulator(scratch, "", 0);
  EXPECT_EQ(calibrate::run_import_topology(options, out, log), calibrate::exit_done);
  EXPECT_EQ(scratch.files().size(), 3U);
}

TEST(ImportedScenarios, TheLogListsWhatIsLeftOutUnlessQuiet) {
  auto options = on_64_h100("hf-trainer", "with_model/training_args.json");
  std::ostringstream out;
  std::ostringstream log;
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_done);
  EXPECT_THAT(log.str(),
              HasSubstr("note: save_steps = 100 left out: what happens beside the steps is not simulated\n"));
  log.str("");
  options.quiet = true;
  EXPECT_EQ(calibrate::run_import_config(options, out, log), calibrate::exit_done);
  EXPECT_EQ(log.str(), "");
}

}  // namespace
}  // namespace sim::scenario
