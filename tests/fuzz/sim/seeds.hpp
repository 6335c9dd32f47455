// Inputs of the simulator's fuzz targets that are accepted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "tests/fuzz/seeds.hpp"
#include "tests/source_tree.hpp"
#include "tests/sweep/swept.hpp"

namespace fuzz {

/// The bytes of a small sweep's file.
inline std::string swept_database() {
  namespace sweep = sim::sweep;
  const auto path =
      std::filesystem::temp_directory_path() / ("gradsim_fuzz_seed." + std::to_string(getpid()) + ".db");
  {
    sweep::SweepStore store = *sweep::SweepStore::open(path, sweep::swept_axes(), false);
    store.write(sweep::swept(0, {"1 Gbit/s", "ring"}, {{"dense", 0.5, 4e6}, {"topk", 0.25, 4e4}}));
    store.write(sweep::swept(1, {"10 Gbit/s", "ring"}, {{"dense", 0.05, 4e6}, {"topk", 0.2, 4e4}}));
  }
  const std::string bytes = bytes_of(path);
  std::filesystem::remove(path);
  return bytes;
}

inline constexpr std::string_view small_platform =
    R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="1us"/><route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
)";

/// A shipped file of measured steps that names its scenario wherever it is read from.
inline std::string step_figures_seed() {
  std::string text = bytes_in_tree("scenarios/measurements/resnet50_ddp2_a100_steps.yaml");
  const std::string from = "../what_if/replay_ddp_trace.yaml";
  return text.replace(text.find(from), from.size(),
                      tests::source_dir() + "/scenarios/what_if/replay_ddp_trace.yaml");
}

/// @param target  a name of `targets_of_sim`
inline std::vector<std::string> seeds_of(std::string_view target) {
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  if (target == "sweep_database") return {swept_database()};
  if (target == "platform") return {std::string(small_platform)};
  if (target == "record") return {bytes_of(data / "learners" / "resnet18_gains_tyagi2023.csv")};
  if (target == "law") return {bytes_of(data / "learners" / "resnet18_cifar10.csv")};
  if (target == "layer_table") return {bytes_of(data / "workloads" / "layers" / "alexnet.csv")};
  if (target == "device") return {bytes_of(data / "devices" / "v100_sxm2_datasheet.yaml")};
  if (target == "model_config") return {bytes_in_tree("tests/imported/configs/with_model/config.json")};
  if (target == "kernel_costs") return {bytes_of(data / "kernel_times" / "pytorch.yaml")};
  if (target == "collective_times") return {bytes_of(data / "collective_times" / "aws_2x1_socket.yaml")};
  if (target == "nccl_measured")
    return {
        "operation: all_reduce\nranks: 16\nnodes: 2\npoints:\n  - {size: 1 MiB, time: 60 us}\n  - {size: 1 "
        "GiB, "
        "time: 8 ms}\n"};
  if (target == "step_figures") return {step_figures_seed()};
  if (target == "link_trace") return {bytes_of(data / "what_if" / "traces" / "evening_wan.csv")};
  if (target == "profile_table") return {bytes_of(data / "papers" / "data" / "scavenger_fig3.csv")};
  if (target == "transport") return {bytes_of(data / "transports" / "nccl_tcp.yaml")};
  if (target == "stack") return {bytes_of(*std::filesystem::directory_iterator(data / "stacks"))};
  if (target == "text_dataset")
    return {
        "To be, or not to be, that is the question:\nWhether 'tis nobler in the mind to "
        "suffer\nThe slings and arrows of outrageous fortune,\nOr to take arms against a sea of troubles\n"};
  if (target == "csv_dataset") return {"a,b,label\n1,2.5,x\n2,3.5,y\n3,1.5,x\n4,0.5,z\n5,7.5,y\n6,1e3,z\n"};
  std::vector<std::string> texts;
  for (const char* name : {"wan_sites.yaml", "worker_failure.yaml", "measured_nccl.yaml"})
    texts.push_back(bytes_of(data / "what_if" / name));
  texts.push_back(bytes_of(data / "quickstart.yaml"));
  return texts;
}

}  // namespace fuzz
