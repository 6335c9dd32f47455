// Inputs of the simulator's fuzz targets that are accepted.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "tests/source_tree.hpp"
#include "tests/sweep/swept.hpp"

namespace fuzz {

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

/// @param target  a name of `targets_of_sim`
inline std::vector<std::string> seeds_of(std::string_view target) {
  const std::filesystem::path data = tests::source_dir() + "/scenarios";
  if (target == "sweep_database") return {swept_database()};
  if (target == "platform") return {std::string(small_platform)};
  if (target == "record") return {bytes_of(data / "learners" / "resnet18_gains_tyagi2023.csv")};
  if (target == "law") return {bytes_of(data / "learners" / "resnet18_cifar10.csv")};
  if (target == "layer_table") return {bytes_of(data / "workloads" / "layers" / "alexnet.csv")};
  if (target == "device") return {bytes_of(data / "devices" / "v100_sxm2_datasheet.yaml")};
  std::vector<std::string> texts;
  for (const char* name : {"wan_sites.yaml", "worker_failure.yaml", "measured_nccl.yaml"})
    texts.push_back(bytes_of(data / "what_if" / name));
  texts.push_back(bytes_of(data / "quickstart.yaml"));
  return texts;
}

}  // namespace fuzz
