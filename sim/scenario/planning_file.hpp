// Reads the question to a planner: the key `planning` of a scenario, or of a separate file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "policies/planning_policy.hpp"
#include "policies/rental.hpp"
#include "sim/inputs/input_files.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/value.hpp"
#include "sim/scenario/planning.hpp"
#include "sim/scenario/scenario.hpp"

namespace sim::scenario {

/// One question, with everything that it names.
struct PlanArm {
  std::string name;
  Planning planning;
  std::vector<policies::Configuration> grid;  ///< within the limits, by size, then by batch
  policies::Rental rental;                    ///< by worker
  std::vector<inputs::ProfileRow> table;      ///< of all jobs; empty where profiles are simulated
};

/// One file for `sim advise`.
struct Plan {
  std::string question;
  std::vector<PlanArm> arms;
  std::vector<AdviceBound> bounds;
  std::optional<Scenario> job;  ///< the simulated scenario where profiles are simulated
  std::vector<std::string> warnings;
  language::Value resolved;  ///< `planning` with its defaults
};

/// Whether the file has the key `planning`, whether it also has a scenario, and whether it has the key
/// `advice`. All false for a file that cannot be read: its reader reports why.
struct PlanKind {
  bool planning = false;
  bool scenario = false;
  bool advice = false;
};
PlanKind plan_kind(const std::filesystem::path& file, const std::filesystem::path& data_dir);

/// The error of commands that run a file with the key `advice`.
inline std::string advice_is_unread(const std::string& file) {
  return "note: " + file + ": `advice` is used only by `sim advise`";
}

/// @param settings  as in `read_study`
/// @param data_dir  the folder `scenarios`
/// @param metrics   names that `expect` of a scenario in it may use
/// @returns the plan, or the first Error, with place, key, value and what is accepted
netmodels::Result<Plan> read_plan(const std::filesystem::path& file, std::span<const std::string> settings,
                                  const std::filesystem::path& data_dir, language::ExpectableMetrics metrics);

/// `planning` as written, with its defaults and whole paths.
language::Value resolved_planning(const language::Value& planning, const std::filesystem::path& data_dir);

/// A plan without a scenario as YAML that can be read again; every value with its origin.
std::string print_plan(const Plan& plan);

}  // namespace sim::scenario
