// The rules of the layers, as data: which folder may include which, and where each outside package may stand.
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
    {"kernels", {}},
    {"command_line", {"netmodels"}},
    {"policies", {"netmodels"}},
    {"calibrate/files", {"netmodels"}},
    {"calibrate/measurements", {"calibrate/files", "netmodels"}},
    {"calibrate/fits", {"calibrate/measurements", "calibrate/files", "netmodels"}},
    {"calibrate/imports", {"calibrate/fits", "calibrate/measurements", "calibrate/files", "netmodels"}},
    {"calibrate/probes", {"calibrate/measurements", "calibrate/files", "netmodels", "kernels"}},
    {"calibrate/ledger",
     {"calibrate/imports", "calibrate/fits", "calibrate/measurements", "calibrate/files", "netmodels"}},
    {"calibrate",
     {"calibrate/ledger", "calibrate/probes", "calibrate/imports", "calibrate/fits", "calibrate/measurements",
      "calibrate/files", "command_line", "netmodels", "kernels"}},
    {"sim/scenario", {"policies", "netmodels", "kernels"}},
    {"sim/datasets", {"netmodels", "kernels"}},
    {"sim/models", {"sim/datasets", "netmodels", "kernels"}},
    {"sim/learning", {"sim/models", "sim/datasets", "policies", "netmodels", "kernels"}},
    {"sim/engine",
     {"sim/scenario", "sim/learning", "sim/models", "sim/datasets", "policies", "netmodels", "kernels"}},
    {"sim/output",
     {"sim/engine", "sim/scenario", "sim/learning", "sim/models", "sim/datasets", "policies", "netmodels",
      "kernels"}},
    {"sim/study/processes", {"netmodels"}},
    {"sim/study/sweeps",
     {"sim/study/processes", "sim/output", "sim/engine", "sim/scenario", "sim/learning", "sim/models",
      "sim/datasets", "policies", "netmodels", "kernels"}},
    {"sim/study/planning",
     {"sim/output", "sim/engine", "sim/scenario", "sim/learning", "sim/models", "sim/datasets", "policies",
      "netmodels", "kernels"}},
    {"sim/study/policy_advice",
     {"sim/study/processes", "sim/output", "sim/engine", "sim/scenario", "sim/learning", "sim/models",
      "sim/datasets", "policies", "netmodels", "kernels"}},
    {"sim",
     {"sim/study/sweeps", "sim/study/planning", "sim/study/policy_advice", "sim/study/processes",
      "sim/output", "sim/engine", "sim/scenario", "sim/learning", "sim/models", "sim/datasets", "policies",
      "command_line", "netmodels", "kernels"}},
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
    {"SimGrid", {"simgrid/", "xbt/", "xbt.h", "smpi/", "instr/"}, {"sim/engine/*.cpp"}},
    {"NCCL", {"nccl"}, {"calibrate/probes/*"}},
    {"MPI", {"mpi.h"}, {"calibrate/probes/*"}},
    {"CUDA",
     {"cuda", "cub/", "thrust/", "cooperative_groups", "curand", "cupti", "nvml", "nvtx3/", "device_launch_"},
     {"kernels/*.cu", "kernels/device.*", "calibrate/probes/*"}},
    {"yaml-cpp", {"yaml-cpp/"}, {"sim/scenario/*"}},
    {"SQLite", {"sqlite3"}, {"sim/study/sweeps/*"}},
    {"Boost.MPI", {"boost/mpi"}, {"sim/study/processes/*"}},
    {"Eigen", {"Eigen/", "unsupported/Eigen/"}, {"sim/models/*", "sim/learning/*", "calibrate/fits/*"}},
    {"pagmo", {"pagmo/"}, {"policies/*"}, 1},
    {"CLI11", {"CLI/"}, {"command_line/*", "sim/*", "calibrate/main*", "calibrate/arguments_*"}},
    {"Boost", {"boost/"}, {}},
    {"fmt", {"fmt/"}, {}},
    {"nlohmann-json", {"nlohmann/"}, {}},
    {"tl-expected", {"tl/"}, {}},
    {"the operating system", {"sys/", "netinet/", "arpa/", "linux/"}, {}},
};

inline constexpr std::array<std::string_view, 4> names_without_meaning = {"utils", "common", "core", "misc"};
inline constexpr std::array<std::string_view, 6> root_folders = {"netmodels", "kernels",   "command_line",
                                                                 "policies",  "calibrate", "sim"};
inline constexpr std::array<std::string_view, 4> source_endings = {".hpp", ".cpp", ".cu", ".cuh"};

}  // namespace layers
