// The options that every command on a scenario shares: turned into settings of the reader.
#include "sim/scenario_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "command_line/known_words.hpp"
#include "netmodels/nearest.hpp"
#include "sim/measure/kernel_times.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/arms.hpp"
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
  for (netmodels::Error& other : error.more) other = by_option(std::move(other));
  return error;
}

/// Below the user's cache (XDG Base Directory Specification); empty where there is none.
std::filesystem::path kept_kernel_times() {
  const auto folder_in = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    const std::filesystem::path folder = value == nullptr ? "" : value;
    return folder.is_absolute() ? folder : std::filesystem::path{};
  };
  std::filesystem::path cache = folder_in("XDG_CACHE_HOME");
  if (cache.empty() && !folder_in("HOME").empty()) cache = folder_in("HOME") / ".cache";
  return cache.empty() ? cache : cache / "gradsim" / "kernel_times";
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
      ->check(command_line::known_words(evaluator_names()));
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

netmodels::Result<MeasuredReading> ScenarioOptions::read_measured(
    const std::string& file, const std::vector<std::string>& more,
    const std::function<void(std::string)>& say) const {
  GRADSIM_TRY(reading, read(file, more));
  const auto asks = [](const scenario::Scenario& arm) { return to_be_measured(arm.exchange.compression); };
  if (std::ranges::none_of(reading->study.arms, asks)) return MeasuredReading{std::move(*reading), {}};
  GRADSIM_TRY(setting, measure::measured_setting(reading->study, measure::this_machine(),
                                                 {GRADSIM_VERSION, kept_kernel_times()}, say));
  if (!*setting) return MeasuredReading{std::move(*reading), {}};
  std::vector<std::string> all = more;
  all.push_back(std::move(**setting));
  GRADSIM_TRY(measured, read(file, all));
  return MeasuredReading{std::move(*measured), {all.back()}};
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

netmodels::Result<const scenario::Scenario*> find_arm(const scenario::Study& study, const std::string& name) {
  std::vector<std::string_view> names;
  for (const scenario::Scenario& arm : study.arms) {
    if (arm.name == name) return &arm;
    names.push_back(arm.name);
  }
  const bool has_arms = names.front() != scenario::only_arm;
  return netmodels::refuse(
      "--arm", "unknown arm `" + name + "`",
      has_arms ? netmodels::accepted_names(name, names) : "the scenario has no arms: leave out `--arm`");
}

void print_warnings(const scenario::Study& study) {
  for (const std::string& warning : study.warnings) std::cerr << "warning: " << warning << "\n";
}

std::vector<std::string> evaluator_names() {
  const auto names = settings::all_names<scenario::Evaluator>();
  return {names.begin(), names.end()};
}

}  // namespace sim
