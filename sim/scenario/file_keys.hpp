// The keys of a scenario that name files: found for reading, checked, written out in full for printing.
#pragma once

#include <filesystem>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// Replaces workloads, traces and platforms that are named by path with the path from where the program runs.
/// They are sought next to the file that names them, then in `data_dir`.
/// @param tree  a scenario, or the overrides of an arm
void find_files(language::Value& tree, const std::filesystem::path& data_dir);

/// Errors of keys whose files do not exist, each at its place. Names that may be something shipped are
/// checked by what reads them, and samples by the run.
/// @param tree  a scenario
std::vector<netmodels::Error> find_missing_files(const language::Value& tree,
                                                 const std::filesystem::path& data_dir);

/// Replaces every path, also those inside a workload written in place, and base files of clusters that are
/// not shipped, with the whole path, so that the printed file means the same in any folder.
void write_out_files(language::Value& tree, const std::filesystem::path& data_dir);

}  // namespace sim::scenario
