// `sim explain`: prints why a step takes as long as it does.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command_line/error_output.hpp"
#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/error_place.hpp"
#include "sim/exit_code.hpp"
#include "sim/report/explanation.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

struct ExplainOptions {
  std::string file;
  std::string arm;  ///< empty: all
  std::string format;
  bool details = false;
  ScenarioOptions scenario;
};

int explain(const ExplainOptions& options) {
  const auto measured = options.scenario.read_measured(
      options.file, {}, [](const std::string& line) { std::cerr << line << "\n"; });
  if (!measured) {
    command_line::print_error(std::cerr, measured.error());
    return exit_refused;
  }
  const scenario::Reading* const reading = &measured->reading;
  if (!options.arm.empty()) {
    if (const auto known = find_arm(reading->study, options.arm); !known) {
      command_line::print_error(std::cerr, known.error());
      return exit_refused;
    }
  }
  print_warnings(reading->study);
  std::vector<const scenario::Scenario*> arms;
  for (const scenario::Scenario& arm : reading->study.arms) {
    if (options.arm.empty() || arm.name == options.arm) arms.push_back(&arm);
  }
  const auto check_typical = [](const scenario::Scenario* arm) {
    return engine::check_typical_step(arm->exchange.synchronisation, arm->exchange.compression,
                                      arm->work.batching, arm->work.streams);
  };
  const bool any = std::ranges::any_of(
      arms, [&](const scenario::Scenario* arm) { return check_typical(arm).has_value(); });
  std::vector<report::ExplainedArm> explained;
  engine::ClusterCache clusters;
  for (const scenario::Scenario* arm : arms) {
    if (const auto typical = check_typical(arm); any && !typical) {
      const netmodels::Error& error = typical.error();
      explained.push_back(
          {arm, {}, fmt::format("`{}`: {}; `sim run` shows where its time goes", error.where, error.what)});
      continue;
    }
    auto steps = engine::explain(*arm, clusters);
    if (!steps) {
      command_line::print_error(std::cerr, placed(steps.error(), options.file, arm->name, *reading));
      return exit_refused;
    }
    explained.push_back({arm, std::move(*steps)});
  }
  std::cout << command_line::print(
      options.format, report::explanation_document(std::move(explained), options.file, options.details));
  return exit_done;
}

}  // namespace

void add_explain(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("explain", "explains the time of a step: formulas with their numbers");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("FILE", options->file, "the scenario")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  command->add_option("--arm", options->arm, "only this arm, as `sim run` names it; without it all of them")
      ->type_name("NAME");
  command->add_flag("--details", options->details,
                    "formulas and times of each exchange, and where numbers come from");
  command_line::add_format(*command, options->format);
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim explain scenarios/quickstart.yaml\n  sim explain scenarios/quickstart.yaml --set "
      "exchange.overlap=false");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace sim
