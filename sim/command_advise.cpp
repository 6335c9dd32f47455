// `sim advise`: which cluster to rent, with which batch, and the cost of the search; or which policies
// to take.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "command_line/error_output.hpp"
#include "command_line/interruption.hpp"
#include "command_line/known_words.hpp"
#include "command_line/output_format.hpp"
#include "netmodels/nearest.hpp"
#include "sim/advise/advice.hpp"
#include "sim/advise/advice_figures.hpp"
#include "sim/advise/advice_text.hpp"
#include "sim/advise/policy_advice.hpp"
#include "sim/advise/policy_text.hpp"
#include "sim/advise/sharding_advice.hpp"
#include "sim/commands.hpp"
#include "sim/engine/learners.hpp"
#include "sim/exit_code.hpp"
#include "sim/scenario/fields_planning.hpp"
#include "sim/scenario/sharding_question.hpp"
#include "sim/scenario_files.hpp"

namespace sim {

// `sim advise`: lets planners search, and ranks clusters and batches by what they predict; or ranks policies.

namespace {

namespace planning = advise;

struct AdviseOptions {
  AdviseRequest request;
  std::optional<std::string> objective;
  std::optional<std::string> target_accuracy;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool quiet = false;
  ScenarioOptions scenario;
};

/// All arms of a plan, one after the other; those that were finished where a signal ends the search.
netmodels::Result<std::vector<advise::Advised>> advise_arms(const scenario::Plan& plan, Progress& progress) {
  const std::atomic<bool>& stop = command_line::catch_interruptions();
  engine::LearnerShelf shelf(data_folder());
  std::vector<advise::Advised> advised;
  for (const scenario::PlanArm& arm : plan.arms) {
    progress.begin_arm(arm.name);
    const bool simulates = arm.planning.profiles.kind == scenario::ProfileSourceKind::simulate;
    const auto profiles = simulates ? advise::profiles_of_simulation(arm, *plan.job, shelf, &stop)
                                    : advise::profiles_of_table(arm);
    auto one = advise::advise(arm, *profiles, [&](double share) { progress.show(share); });
    if (command_line::interrupted()) break;
    if (!one) return tl::unexpected(std::move(one.error()));
    advised.push_back(std::move(*one));
  }
  return advised;
}

int refuse(const netmodels::Error& error, Progress& progress) {
  progress.clear();
  command_line::print_error(std::cerr, error);
  return exit_refused;
}

std::vector<std::string> objective_names() {
  const auto names = settings::all_names<policies::PlanningObjective>();
  return {names.begin(), names.end()};
}

/// Whether a text is a number above 1 and at most 100, as a share in percent would be without its sign.
bool lacks_percent(const std::string& text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && end == text.data() + text.size() && number > 1 && number <= 100;
}

/// Error of `--target-accuracy` by itself; nothing: none.
std::optional<netmodels::Error> wrong_target(const std::string& text) {
  if (text.empty())
    return netmodels::Error{"--target-accuracy", "it is empty", "write a share such as 0.9 or '90 %'"};
  if (!lacks_percent(text)) return std::nullopt;
  return netmodels::Error{"--target-accuracy", "`" + text + "` is not a share",
                          "did you mean '" + text + " %'? accepted: above 0 and at most 1, or 100 %"};
}

std::vector<std::string> settings_of(const AdviseOptions& options) {
  std::vector<std::string> all = options.scenario.settings();
  all.insert(all.end(), options.request.settings.begin(), options.request.settings.end());
  return all;
}

/// How states are shared best.
int advise_shardings_of_file(const AdviseRequest& request, const std::vector<std::string>& settings,
                             Progress& progress) {
  const auto question = scenario::read_sharding_question(request.file, settings, data_folder());
  if (!question) return refuse(question.error(), progress);
  for (const std::string& warning : question->warnings) progress.warn(warning);
  const auto advised = advise::advise_shardings(*question, &command_line::catch_interruptions());
  const auto signal = command_line::interrupted();
  if (signal && (!advised || advised->ranked.empty())) return *signal;
  if (!advised) return refuse(advised.error(), progress);
  progress.clear();
  std::cout << command_line::print(request.format,
                                   advise::sharding_document(*advised, request.file, table_width()))
            << std::flush;
  return signal.value_or(exit_done);
}

int run_advise(AdviseOptions& options) {
  const bool plans = scenario::plan_kind(options.request.file, data_folder()).planning;
  const std::string block = plans ? "planning" : "advice";
  if (options.objective) options.request.settings.push_back(block + ".objective=" + *options.objective);
  Progress progress(options.quiet);
  if (options.target_accuracy) {
    if (const auto error = wrong_target(*options.target_accuracy)) return refuse(*error, progress);
    options.request.settings.push_back("learner.target=" + *options.target_accuracy);
  }
  const std::vector<std::string> all = settings_of(options);
  if (!plans && scenario::asks_about_sharding(options.request.file, all, data_folder()))
    return advise_shardings_of_file(options.request, all, progress);
  if (!plans) return advise_policies_of_file(options.request, options.scenario, options.jobs, progress);
  return advise_file(options.request, options.scenario, progress);
}

}  // namespace

int advise_file(const AdviseRequest& request, const ScenarioOptions& options, Progress& progress) {
  auto plan = options.read_plan(request.file, request.settings);
  if (!plan) {
    netmodels::Error error = std::move(plan.error());
    if (error.where == "--set learner.target") error.where = "--target-accuracy";
    return refuse(error, progress);
  }
  for (const std::string& warning : plan->warnings) progress.warn(warning);
  progress.begin_file(request.file, plan->arms.size());
  const auto arms = advise_arms(*plan, progress);
  const auto signal = command_line::interrupted();
  if (signal && arms && arms->empty()) return *signal;
  if (!arms) {
    netmodels::Error error = arms.error();
    error.what = (error.where.empty() ? "" : "`" + error.where + "`: ") + error.what;
    error.where = request.file;
    return refuse(error, progress);
  }
  progress.clear();
  const std::vector<advise::JudgedBound> bounds =  // bounds over several arms: of all of them or of none
      signal ? std::vector<advise::JudgedBound>{} : judge(*plan, *arms);
  std::cout << command_line::print(request.format, advise::advice_document(
                                                       {request.file, &*plan, *arms, bounds, table_width()}))
            << std::flush;
  if (signal) return *signal;
  if (!request.strict) return exit_done;
  const std::vector<std::string> lines = missed(bounds);
  for (const std::string& line : lines) std::cerr << "missed: " + line + "\n";
  return lines.empty() ? exit_done : exit_refused;
}

void add_advise(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "advise",
      "advises which cluster to rent and with which batch, or which policies to use on a given "
      "one");
  const auto options = std::make_shared<AdviseOptions>();
  command
      ->add_option("FILE", options->request.file,
                   "a scenario; with `planning` clusters are ranked, else policies")
      ->transform(named_scenario)
      ->required()
      ->type_name("");
  command
      ->add_option("--objective", options->objective,
                   "shortest time, lowest cost, or the knee of cost over time; as in the file without it")
      ->type_name("NAME")
      ->check(command_line::known_words(objective_names()));
  command
      ->add_option("--target-accuracy", options->target_accuracy,
                   "target accuracy, as 0.9 or 90%; same as --set learner.target")
      ->type_name("SHARE");
  command_line::add_format(*command, options->request.format);
  command->add_flag("--strict", options->request.strict,
                    "exit code 1 when a bound under `planning.expect` or `advice.expect` is missed");
  command->add_option("--jobs", options->jobs, "policies: number of processes; default: all cores")
      ->type_name("N");
  command->add_flag("--quiet", options->quiet, "no progress on stderr");
  options->scenario.add_to(*command);
  command->footer(
      "Without `planning`, policies are compared: those under `advice`, or the whole catalogue.\n"
      "Examples:\n  sim advise scenarios/what_if/advise_resnet50.yaml --objective knee\n"
      "  sim advise scenarios/what_if/advise_policies.yaml --objective time\n"
      "  sim advise scenarios/papers/scavenger_fig10.yaml --strict --quiet\n"
      "  sim advise scenarios/what_if/advise_resnet50.yaml --set planning.price.spot=true --format csv");
  command->callback([options, &exit_code] { exit_code = run_advise(*options); });
}

// `sim advise` on policies: reads the question, simulates the candidates, prints the answer.

namespace {

namespace policy_advice = advise;

int refuse(netmodels::Error error, const std::string& file, Progress& progress) {
  progress.clear();
  if (error.where.empty()) error.where = file;
  if (error.where == "--set learner.target") error.where = "--target-accuracy";
  if (error.where == "--set advice.objective") error.where = "--objective";
  command_line::print_error(std::cerr, error);
  return exit_refused;
}

}  // namespace

int advise_policies_of_file(const AdviseRequest& request, const ScenarioOptions& options, std::size_t jobs,
                            Progress& progress) {
  auto question = options.read_policy_question(request.file, request.settings);
  if (!question) return refuse(std::move(question.error()), request.file, progress);
  for (const std::string& warning : question->warnings) progress.warn(warning);
  progress.begin_file(request.file, 1);
  progress.begin_arm("policies");
  advise::AdviceEffort effort;
  effort.jobs = jobs;
  effort.stop = &command_line::catch_interruptions();
  effort.said = [&progress](double share) { progress.show(share); };
  auto advised = advise::advise_policies(*question, data_folder(), effort);
  if (const auto signal = command_line::interrupted()) return *signal;
  if (!advised) return refuse(std::move(advised.error()), request.file, progress);
  progress.clear();
  std::cout << command_line::print(request.format,
                                   advise::policy_document(*advised, request.file, table_width()))
            << std::flush;
  if (!request.strict) return exit_done;
  const std::vector<std::string> lines = advise::missed(judge(*advised));
  for (const std::string& line : lines) std::cerr << "missed: " + line + "\n";
  return lines.empty() ? exit_done : exit_refused;
}

}  // namespace sim
