// `sim explain`: prints why a step takes as long as it does.
#include <iostream>
#include <memory>

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
  ScenarioOptions scenario;
};

int explain(const ExplainOptions& options) {
  const auto reading = options.scenario.read(options.file);
  if (!reading) {
    std::cerr << reading.error().text() << "\n";
    return exit_refused;
  }
  std::string text;
  engine::ClusterCache clusters;
  for (const scenario::Scenario& arm : reading->study.arms) {
    const auto steps = engine::explain(arm, clusters);
    if (!steps) {
      std::cerr << placed(steps.error(), options.file, arm.name, *reading).text() << "\n";
      return exit_refused;
    }
    text += (text.empty() ? "" : "\n") + report::explanation(arm, *steps);
  }
  std::cout << text;
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
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim explain scenarios/quickstart.yaml\n  sim explain scenarios/quickstart.yaml --set "
      "exchange.overlap=false");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace sim
