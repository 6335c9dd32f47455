// Reads a scenario file into the study that the engine simulates; the keys of a study outside its arms.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "settings/key.hpp"
#include "sim/language/document.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/uncertain_input.hpp"

namespace sim::scenario {

// The keys that belong to a study and to no arm, for the schema and the reference.

/// Another file that a scenario or a cluster overrides, and lists whose items are read by separate rules.
/// Their shapes differ too much from a described struct for `settings::Fields`.
namespace keys_of_study {

using settings::Key;

inline constexpr Key use{.name = "use",
                         .doc = "Base scenario that this one overrides; a path relative to this file.",
                         .example = "quickstart.yaml"};
inline constexpr Key compare{.name = "compare",
                             .doc = "Arms, run side by side: each a set of overrides.",
                             .example = "{dense: {}, topk: {compression: {method: topk, ratio: 1 %}}}"};
inline constexpr Key axes{
    .name = "axes",
    .doc = "Arms as a product: AXIS: {VALUE: {overrides}}.",
    .example = "{batch: {small: {training: {batch: 32}}, large: {training: {batch: 64}}}}"};
inline constexpr Key expect{
    .name = "expect", .doc = "Published or measured figures, and bounds on the error of the predictions."};
inline constexpr Key planning{
    .name = "planning", .doc = "The question to `sim advise`: which cluster to rent, with which batch."};
inline constexpr Key planning_compare{.name = "compare",
                                      .doc = "Arms: each a set of overrides of `planning`."};
inline constexpr Key planning_expect{.name = "expect",
                                     .doc = "Bounds on errors and on what the search costs."};
inline constexpr Key advice{.name = "advice",
                            .doc = "The question to `sim advise`: which policies to use on this cluster."};
inline constexpr Key advice_networks{.name = "networks",
                                     .doc =
                                         "Networks, of which the worst case counts: each a map of changes in "
                                         "`cluster`, or the file of a trace."};
inline constexpr Key advice_expect{.name = "expect", .doc = "Bounds on the result."};
inline constexpr Key workload_use{
    .name = "use", .doc = "A file of scenarios/workloads, or a path; the keys beside it override it."};
inline constexpr Key cluster_use{
    .name = "use", .doc = "A file of scenarios/clusters, or a path; the keys beside it override it."};

}  // namespace keys_of_study

// Reads a scenario file into the study that the engine simulates.

/// The result of reading a file: the checked values, and the same as a tree with every default and origin.
struct Reading {
  Study study;
  language::Value resolved;
  std::vector<language::Value> arms;  ///< the tree of each arm of the study, for errors that are found later
};

/// Refuses a question to `sim advise` that only `--set` asks: a run would not read it.
/// @param key  `planning` or `advice`
netmodels::Result<void> check_asked_in_file(const language::Value& root, std::string_view key);

/// The whole file merged with its bases, its cluster and `--set` options; arms are not yet expanded.
/// @param texts  `KEY=VALUE` of each `--set`, in order
netmodels::Result<language::Document> read_root(const std::filesystem::path& file,
                                                std::span<const std::string> texts,
                                                const std::filesystem::path& data_dir);

/// @param file      the scenario
/// @param settings  `KEY=VALUE` of each `--set`, in order; they win over the file and over its arms
/// @param data_dir  the folder `scenarios`, which holds workloads/, clusters/ and devices/
/// @param metrics   what `expect` may name
/// @param draws     values of uncertain quantities; those that are not in it are as stated
/// @returns the study, or the first Error, with file:line:column (or `--set KEY`), key, value and what is
/// accepted
netmodels::Result<Reading> read_study(const std::filesystem::path& file,
                                      std::span<const std::string> settings,
                                      const std::filesystem::path& data_dir,
                                      language::ExpectableMetrics metrics, const Draws& draws = {});

/// One arm of a file with further settings, which other arms need not be able to have.
/// @param arm  its name, as `Scenario::name` has it
/// @returns the checked scenario, or the first Error; keys that nothing reads are accepted
netmodels::Result<Scenario> read_arm(const std::filesystem::path& file, std::span<const std::string> settings,
                                     const std::filesystem::path& data_dir, std::string_view arm);

/// The resolved scenario as YAML: every value with its origin as a comment after it. Read again, from any
/// folder of this machine, it gives the same study: files have their whole paths.
std::string print_study(const Reading& reading);

/// The JSON schema (draft 2020-12) of scenario files, for editors.
/// @param metrics  what `expect` may name
std::string schema(language::ExpectableMetrics metrics);

}  // namespace sim::scenario
