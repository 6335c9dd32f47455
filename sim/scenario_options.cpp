// The options that every command on a scenario shares: turned into settings of the reader.
#include "sim/scenario_options.hpp"

#include <utility>

#include "netmodels/nearest.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario_files.hpp"

namespace sim {
namespace {

/// Names the option that was really given.
netmodels::Error by_option(netmodels::Error error) {
  for (const std::string option : {"network", "audit", "seed", "seeds"}) {
    if (error.where == "--set " + option) error.where = "--" + option;
  }
  if (error.where == "--set uncertainty.samples") error.where = "--samples";
  return error;
}

}  // namespace

void ScenarioOptions::add_to(CLI::App& command) {
  command
      .add_option("--set", settings_,
                  "overrides one key in the file and all arms, as in --set cluster.workers=16")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option(
          "--network", network_,
          "evaluator of the collectives: " + netmodels::join(settings::all_names<scenario::Evaluator>()))
      ->type_name("NAME")
      ->check(CLI::IsMember(evaluator_names()));
  command.add_option("--audit", audit_, "share of evaluations that SimGrid checks, as 0.01 or 1%")
      ->type_name("SHARE");
  command.add_option("--seed", seed_, "random seed")->type_name("N");
}

std::vector<std::string> ScenarioOptions::settings() const {
  std::vector<std::string> settings = settings_;
  if (network_) settings.push_back("network=" + *network_);
  if (audit_) settings.push_back("audit=" + *audit_);
  if (seed_) settings.push_back("seed=" + *seed_);
  return settings;
}

netmodels::Result<scenario::Reading> ScenarioOptions::read(const std::string& file,
                                                           const std::vector<std::string>& more) const {
  std::vector<std::string> all = settings();
  all.insert(all.end(), more.begin(), more.end());
  auto reading = scenario::read_study(file, all, data_folder(), report::expectable_metrics());
  if (!reading) return tl::unexpected(by_option(std::move(reading.error())));
  return reading;
}

netmodels::Result<scenario::Plan> ScenarioOptions::read_plan(const std::string& file,
                                                             const std::vector<std::string>& more) const {
  std::vector<std::string> all = settings();
  all.insert(all.end(), more.begin(), more.end());
  auto plan = scenario::read_plan(file, all, data_folder(), report::expectable_metrics());
  if (!plan) return tl::unexpected(by_option(std::move(plan.error())));
  return plan;
}

netmodels::Result<scenario::PolicyQuestion> ScenarioOptions::read_policy_question(
    const std::string& file, const std::vector<std::string>& more) const {
  std::vector<std::string> all = settings();
  all.insert(all.end(), more.begin(), more.end());
  auto question = scenario::read_policy_question(file, all, data_folder());
  if (!question) return tl::unexpected(by_option(std::move(question.error())));
  return question;
}

std::vector<std::string> evaluator_names() {
  const auto names = settings::all_names<scenario::Evaluator>();
  return {names.begin(), names.end()};
}

}  // namespace sim
