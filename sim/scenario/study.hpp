// Reads a scenario file into the study that the engine plays.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// What a file came to: the checked values, and the same as a tree with every default and origin.
struct Reading {
  Study study;
  Value resolved;
  std::vector<Value> arms;  ///< what each arm of the study was read from, for errors that are found later
};

/// The whole file with its bases, its cluster and what `--set` said laid over it; arms are not yet spread.
/// @param texts  `KEY=VALUE` of each `--set`, in order
netmodels::Result<Document> read_root(const std::filesystem::path& file, std::span<const std::string> texts,
                                      const std::filesystem::path& data_dir);

/// @param file      the scenario
/// @param settings  `KEY=VALUE` of each `--set`, in order; they win over the file and over its arms
/// @param data_dir  the folder `scenarios`, which holds workloads/, clusters/ and devices/
/// @param metrics   what `expect` may name
/// @returns the study, or the first Error, with file:line:column (or `--set KEY`), key, value and what is
/// accepted
netmodels::Result<Reading> read_study(const std::filesystem::path& file,
                                      std::span<const std::string> settings,
                                      const std::filesystem::path& data_dir, ExpectableMetrics metrics);

/// The resolved scenario as YAML: every value with its origin as a comment behind it. Read again, from any
/// folder of this machine, it gives the same study: files stand there with their whole paths.
std::string print_study(const Reading& reading);

/// The JSON schema (draft 2020-12) of scenario files, for editors.
/// @param metrics  what `expect` may name
std::string schema(ExpectableMetrics metrics);

}  // namespace sim::scenario
