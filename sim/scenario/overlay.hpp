// Merges trees of values: base files named by `use`, `--set` options, and arms.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/document.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// The file merged over its base files. A base is sought next to the file that uses it, then in
/// `folder` (where the ending `.yaml` may be left out), then from where the program runs.
/// @returns an Error also for a file that is not a map, and for a cycle of bases, with the
/// chain
netmodels::Result<language::Document> read_with_bases(const std::filesystem::path& path,
                                                      const std::filesystem::path& folder);

/// The file that a cluster takes as its base: next to the file that names it, shipped, or from where the
/// program runs.
netmodels::Result<std::filesystem::path> cluster_file(const language::Value& use,
                                                      const std::filesystem::path& data_dir);

/// `cluster: NAME`, or a cluster map with `use: NAME`, replaced by the file's contents; anything else stays.
netmodels::Result<language::Value> expand_cluster(const language::Value& cluster,
                                                  const std::filesystem::path& data_dir);

/// A workload map with `use: NAME`, with the contents of the file under its other keys, which its provenance
/// then names; anything else stays.
netmodels::Result<language::Value> expand_workload(const language::Value& workload,
                                                   const std::filesystem::path& data_dir);

/// `over` merged into a scenario. Beyond `merge`: a cluster or a workload that names a file replaces the one
/// below; a link replaces a fabric below, and a fabric a link; a method of compression that is not sparse
/// drops a ratio from below, and another method drops the `time` of the one below.
netmodels::Result<language::Value> lay_over(language::Value scenario, const language::Value& over,
                                            const std::filesystem::path& data_dir);

/// What `lay_over` leaves out although the scenario states it: the time of compressing by another method.
std::vector<std::string> lay_over_warnings(const language::Value& scenario, const language::Value& over);

/// All `KEY=VALUE` as one tree, each value with the origin `--set KEY`. A name of a cluster and keys of it
/// act both, in any order.
netmodels::Result<language::Value> read_settings(std::span<const std::string> settings);

/// A warning for each key that several `KEY=VALUE` give different values: the last one counts.
std::vector<std::string> repeated_settings(std::span<const std::string> settings);

}  // namespace sim::scenario
