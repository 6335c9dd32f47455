// The options that every command on a scenario shares: what they override in the file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "netmodels/result.hpp"
#include "sim/scenario/planning_file.hpp"
#include "sim/scenario/policy_advice_file.hpp"
#include "sim/scenario/study.hpp"

namespace sim {

/// A scenario that was read, and what was measured for it.
struct MeasuredReading {
  scenario::Reading reading;
  std::vector<std::string>
      settings;  ///< `KEY=VALUE` that hold what was measured; read with them, it is the same
};

/// --set, --network, --audit and --seed; the last three are short for --set of the key of the same name.
class ScenarioOptions {
 public:
  void add_to(CLI::App& command);

  /// The file with these overrides.
  [[nodiscard]] netmodels::Result<scenario::Reading> read(const std::string& file,
                                                          const std::vector<std::string>& more = {}) const;

  /// As `read`; where the file asks for it by `kernel_times: measure`, compressors are measured on this
  /// machine before, or what was measured of them earlier is taken from the user's cache.
  /// @param say  is called with messages about measuring
  [[nodiscard]] netmodels::Result<MeasuredReading> read_measured(
      const std::string& file, const std::vector<std::string>& more,
      const std::function<void(std::string)>& say) const;

  /// The file's question to a planner, with these overrides.
  /// @param more  further `KEY=VALUE`, which win
  [[nodiscard]] netmodels::Result<scenario::Plan> read_plan(const std::string& file,
                                                            const std::vector<std::string>& more = {}) const;

  /// The file's question about policies, likewise.
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

/// The arm that `--arm` names. @returns an Error with the arms that there are
netmodels::Result<const scenario::Scenario*> find_arm(const scenario::Study& study, const std::string& name);

/// Prints what is doubtful in a scenario to stderr, a line each.
void print_warnings(const scenario::Study& study);

/// The words that --network takes.
std::vector<std::string> evaluator_names();

}  // namespace sim
