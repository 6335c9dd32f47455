// Reads the arms of a study: trees of values become checked scenarios.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/arm_files.hpp"
#include "sim/scenario/features.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/uncertain_input.hpp"

namespace sim::scenario {

/// The values of an arm as its file states them, with its workload and devices; nothing is derived or checked
/// but each key by itself.
/// @param tree  of the arm: its cluster is expanded, and its files are found
/// @returns the values, or the Errors of keys and files, with their places
netmodels::Result<Scenario> read_stated(const std::string& name, const language::Value& tree,
                                        ArmFiles& files);

/// Reads arms one after the other; files that many arms share are read once each.
class ArmReader {
 public:
  /// @param data_dir  the folder `scenarios`
  /// @param draws     of uncertain quantities
  explicit ArmReader(std::filesystem::path data_dir, Draws draws = {})
      : files_(std::move(data_dir)), draws_(std::move(draws)) {}

  /// @param tree  of the arm with its overrides; becomes the tree as read
  /// @returns the checked scenario, or the first Error, with its place
  netmodels::Result<Scenario> read(const std::string& name, language::Value& tree);

  /// The uncertain quantities so far, each once with all arms that state it.
  [[nodiscard]] const std::vector<UncertainInput>& uncertain() const { return uncertain_; }

  /// Of each arm that was read, what its settings declare.
  [[nodiscard]] const std::vector<std::vector<Feature>>& features() const { return features_; }

  /// The warnings so far, each once.
  [[nodiscard]] std::vector<std::string> take_warnings() const {
    return {warnings_.begin(), warnings_.end()};
  }

 private:
  netmodels::Result<void> settle(const std::string& name, language::Value& tree);
  netmodels::Result<Scenario> resolve_arm(const std::string& name, const language::Value& tree);

  ArmFiles files_;
  std::set<std::string> warnings_;
  std::vector<std::vector<Feature>> features_;  ///< by arm
  Draws draws_;
  std::vector<UncertainInput> uncertain_;
};

}  // namespace sim::scenario
