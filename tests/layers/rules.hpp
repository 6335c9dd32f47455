// The rules of the layers, as data: which folder may include which, and who may use each external package.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace layers {

/// A folder of ours and the folders of ours its files may include, besides itself.
struct Folder {
  std::string_view path;
  std::vector<std::string_view> may_include;
};

inline const std::vector<Folder> all_folders = {
    {"netmodels", {}},
    {"netmodels/nccl", {"netmodels"}},
    {"files", {"netmodels"}},
    {"kernels", {"netmodels"}},
    {"command_line", {"netmodels"}},
    {"settings", {"netmodels/nccl", "netmodels"}},
    {"policies", {"settings", "kernels", "netmodels", "files"}},
    {"policies/pagmo", {"policies", "netmodels"}},
    {"calibrate/measurements", {"files", "netmodels"}},
    {"calibrate/fits", {"calibrate/measurements", "files", "kernels", "netmodels"}},
    {"calibrate/imports", {"calibrate/fits", "calibrate/measurements", "files", "settings", "netmodels"}},
    {"calibrate/probes", {"calibrate/measurements", "files", "netmodels", "kernels"}},
    {"calibrate/ledger",
     {"calibrate/imports", "calibrate/fits", "calibrate/measurements", "files", "command_line", "settings",
      "netmodels/nccl", "netmodels"}},
    {"calibrate",
     {"calibrate/ledger", "calibrate/probes", "calibrate/imports", "calibrate/fits", "calibrate/measurements",
      "files", "command_line", "netmodels", "kernels"}},
    {"learning/datasets", {"settings", "netmodels", "kernels", "files"}},
    {"learning/models", {"learning/datasets", "settings", "netmodels", "kernels", "files"}},
    {"learning/learners",
     {"learning/models", "learning/datasets", "policies", "settings", "netmodels", "kernels", "files"}},
    {"sim/language", {"settings", "netmodels", "files"}},
    {"sim/inputs",
     {"sim/language", "policies", "settings", "netmodels/nccl", "netmodels", "kernels", "files"}},
    {"sim/scenario",
     {"sim/inputs", "sim/language", "learning/learners", "learning/models", "learning/datasets", "policies",
      "settings", "netmodels/nccl", "netmodels", "kernels", "files"}},
    {"sim/engine",
     {"sim/scenario", "sim/inputs", "sim/language", "learning/learners", "learning/models",
      "learning/datasets", "policies", "settings", "netmodels/nccl", "netmodels", "kernels", "files"}},
    {"sim/engine/simgrid",
     {"sim/engine", "sim/scenario", "sim/inputs", "sim/language", "netmodels", "files"}},
    {"sim/report",
     {"command_line", "sim/engine", "sim/scenario", "sim/inputs", "sim/language", "learning/learners",
      "learning/models", "learning/datasets", "policies", "settings", "netmodels/nccl", "netmodels",
      "kernels", "files"}},
    {"sim/sweep",
     {"command_line", "sim/report", "sim/engine", "sim/scenario", "sim/inputs", "sim/language",
      "learning/learners", "learning/models", "learning/datasets", "policies", "settings", "netmodels/nccl",
      "netmodels", "kernels", "files"}},
    {"sim/advise",
     {"command_line", "sim/sweep", "sim/report", "sim/engine", "sim/scenario", "sim/inputs", "sim/language",
      "learning/learners", "learning/models", "learning/datasets", "policies", "settings", "netmodels/nccl",
      "netmodels", "kernels", "files"}},
    {"sim/fit",
     {"command_line", "calibrate/fits", "calibrate/measurements", "sim/report", "sim/engine", "sim/scenario",
      "sim/inputs", "sim/language", "learning/learners", "learning/models", "learning/datasets", "policies",
      "settings", "netmodels/nccl", "netmodels", "kernels", "files"}},
    {"sim/measure",
     {"calibrate/probes", "calibrate/fits", "calibrate/measurements", "sim/engine", "sim/scenario",
      "sim/inputs", "sim/language", "policies", "settings", "netmodels", "kernels", "files"}},
    {"sim/serve", {"command_line", "netmodels", "files"}},
    {"sim", {"sim/serve",         "sim/measure",     "sim/fit",           "sim/advise", "sim/sweep",
             "sim/report",        "sim/engine",      "sim/scenario",      "sim/inputs", "sim/language",
             "learning/learners", "learning/models", "learning/datasets", "policies",   "settings",
             "command_line",      "netmodels/nccl",  "netmodels",         "kernels",    "files"}},
};

/// An outside package: how its includes begin, the files that may have them (none named: any file), and how
/// many files at most.
struct Package {
  std::string_view name;
  std::vector<std::string_view> prefixes;
  std::vector<std::string_view> addresses;
  std::size_t most_files = 0;  ///< 0: any number
};

inline const std::vector<Package> all_packages = {
    {"SimGrid", {"simgrid/", "xbt/", "xbt.h", "smpi/", "instr/"}, {"sim/engine/simgrid/*.cpp"}},
    {"NCCL", {"nccl"}, {"calibrate/probes/*"}},
    {"MPI", {"mpi.h"}, {"calibrate/probes/*"}},
    {"CUDA",
     {"cuda", "cub/", "thrust/", "cooperative_groups", "curand", "cupti", "nvml", "nvtx3/", "device_launch_"},
     {"kernels/*.cu", "kernels/device.*", "calibrate/probes/*"}},
    {"Expat", {"expat"}, {"sim/engine/simgrid/*.cpp", "calibrate/imports/nccl_topology.cpp"}},
    {"yaml-cpp", {"yaml-cpp/"}, {"sim/language/*"}},
    {"SQLite", {"sqlite3"}, {"sim/sweep/*"}},
    {"Eigen",
     {"Eigen/", "unsupported/Eigen/"},
     {"learning/models/*", "learning/learners/*", "calibrate/fits/*", "policies/least_squares.cpp",
      "policies/gaussian_process.cpp"}},
    {"pagmo", {"pagmo/"}, {"policies/pagmo/*.cpp"}, 1},
    {"CLI11", {"CLI/"}, {"command_line/*", "sim/*", "calibrate/main*", "calibrate/arguments*"}},
    {"Boost", {"boost/"}, {}},
    {"fmt", {"fmt/"}, {}},
    {"nlohmann-json", {"nlohmann/"}, {}},
    {"tl-expected", {"tl/"}, {}},
    {"the operating system", {"sys/", "netinet/", "arpa/", "linux/"}, {}},
};

inline constexpr std::array<std::string_view, 4> names_without_meaning = {"utils", "common", "core", "misc"};
inline constexpr std::array<std::string_view, 9> root_folders = {
    "netmodels", "files", "settings", "kernels", "command_line", "policies", "learning", "calibrate", "sim"};
inline constexpr std::array<std::string_view, 4> source_endings = {".hpp", ".cpp", ".cu", ".cuh"};

}  // namespace layers
