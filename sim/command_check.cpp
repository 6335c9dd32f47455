// `sim check`: prints a scenario resolved, each value with its origin.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "command_line/error_output.hpp"
#include "sim/commands.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/error_place.hpp"
#include "sim/exit_code.hpp"
#include "sim/scenario/sharding_question.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

struct CheckOptions {
  std::string file;
  ScenarioOptions scenario;
};

/// Builds each cluster once, and each learner, to find the simulator's errors early.
netmodels::Result<void> check_arms(const scenario::Reading& reading, const std::string& file) {
  const auto& arms = reading.study.arms;
  engine::LearnerShelf shelf(data_folder());
  engine::ClusterCache clusters;
  for (auto arm = arms.begin(); arm != arms.end(); ++arm) {
    if (auto made = shelf.make(*arm); !made)
      return tl::unexpected(placed(made.error(), file, arm->name, reading));
    const auto same = [&](const scenario::Scenario& earlier) { return earlier.cluster == arm->cluster; };
    if (std::any_of(arms.begin(), arm, same)) continue;
    if (auto built = engine::check_cluster(*arm, clusters); !built)
      return tl::unexpected(placed(built.error(), file, arm->name, reading));
  }
  return {};
}

/// A file that asks a planner and describes no scenario.
int check_plan(const CheckOptions& options) {
  const auto plan = options.scenario.read_plan(options.file);
  if (!plan) {
    command_line::print_error(std::cerr, plan.error());
    return exit_refused;
  }
  std::cout << scenario::print_plan(*plan);
  return exit_done;
}

int check(const CheckOptions& options) {
  const scenario::PlanKind asked = scenario::plan_kind(options.file, data_folder());
  if (asked.planning && !asked.scenario) return check_plan(options);
  auto reading = options.scenario.read(options.file);
  if (!reading) {
    command_line::print_error(std::cerr, reading.error());
    return exit_refused;
  }
  const auto plan = asked.planning ? options.scenario.read_plan(options.file) : scenario::Plan{};
  if (!plan) {
    command_line::print_error(std::cerr, plan.error());
    return exit_refused;
  }
  const auto all = options.scenario.settings();
  const bool sharding = scenario::asks_about_sharding(options.file, all, data_folder());
  if (asked.advice && sharding) {
    const auto question = scenario::read_sharding_question(options.file, all, data_folder());
    if (!question) {
      command_line::print_error(std::cerr, question.error());
      return exit_refused;
    }
  } else if (asked.advice) {
    auto question = options.scenario.read_policy_question(options.file);
    if (!question) {
      command_line::print_error(std::cerr, question.error());
      return exit_refused;
    }
    reading->resolved.set("advice", std::move(question->resolved));
  }
  if (const auto built = check_arms(*reading, options.file); !built) {
    command_line::print_error(std::cerr, built.error());
    return exit_refused;
  }
  std::cout << scenario::print_study(*reading);
  print_warnings(reading->study);
  return exit_done;
}

}  // namespace

void add_check(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "check", "prints the resolved scenario: every value with its origin; again a valid scenario");
  const auto options = std::make_shared<CheckOptions>();
  command->add_option("FILE", options->file, "the scenario")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim check scenarios/quickstart.yaml\n  sim check scenarios/quickstart.yaml --set "
      "cluster.workers=16");
  command->callback([options, &exit_code] { exit_code = check(*options); });
}

}  // namespace sim
