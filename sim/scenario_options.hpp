// The options that every command on a scenario shares: what they override in the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "netmodels/result.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

/// --set, --network, --audit and --seed; the last three are short for --set of the key of the same name.
class ScenarioOptions {
 public:
  void add_to(CLI::App& command);

  /// The file with these overrides.
  [[nodiscard]] netmodels::Result<scenario::Reading> read(const std::string& file,
                                                          const std::vector<std::string>& more = {}) const;

  /// The file's question to a planner, with these overrides.
  /// @param more  further `KEY=VALUE`, which win
  [[nodiscard]] netmodels::Result<scenario::Plan> read_plan(const std::string& file,
                                                            const std::vector<std::string>& more = {}) const;

  /// What the file asks about policies, likewise.
  [[nodiscard]] netmodels::Result<scenario::PolicyQuestion> read_policy_question(
      const std::string& file, const std::vector<std::string>& more = {}) const;

  /// All of them as `KEY=VALUE`.
  [[nodiscard]] std::vector<std::string> settings() const;

 private:
  std::vector<std::string> settings_;
  std::optional<std::string> network_;
  std::optional<std::string> audit_;
  std::optional<std::string> seed_;
};

/// The words that --network takes.
std::vector<std::string> evaluator_names();

}  // namespace sim
