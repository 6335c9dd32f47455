// Folder of measured and published data for tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/source_tree.hpp"

namespace tests {

/// A folder of `tests/data`, or a file in one.
/// @param path  such as `nccl` or `llm/memory.csv`
inline std::string data_path(const std::string& path) { return source_dir() + "/tests/data/" + path; }

/// A data set or trace, which is not part of the repository and may be missing.
/// @param path  such as `sets/letter` or `traces/kineto`, in the folder `../shared/data` beside the
/// repository
inline std::string shared_path(const std::string& path) { return source_dir() + "/../shared/data/" + path; }

/// The published tables of NCCL, by file name; those that scenarios use are in `scenarios/measurements`.
inline std::vector<std::filesystem::path> nccl_tables() {
  std::vector<std::filesystem::path> tables;
  for (const std::string& folder : {data_path("nccl"), source_dir() + "/scenarios/measurements"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".csv") tables.push_back(entry.path());
    }
  }
  std::ranges::sort(tables, {}, [](const auto& path) { return path.filename(); });
  return tables;
}

}  // namespace tests
