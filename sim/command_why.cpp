// `sim why`: where a step of several workers loses time, and what would make it shorter.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command_line/output_format.hpp"
#include "netmodels/nearest.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/fit/step_loss_text.hpp"
#include "sim/language/document.hpp"
#include "sim/scenario/step_figures.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::string_view usual_file = "why.yaml";
constexpr std::string_view usual_mfu = "40 %";  // assumed, as `sim new` does; --alone measures it

struct WhyOptions {
  std::string file;
  std::string arm;
  std::string format;
  std::optional<std::string> model, device, mfu, link, latency, step, alone;
  std::optional<int> workers, batch;
  ScenarioOptions scenario;
};

/// The options as `KEY=VALUE`.
std::vector<std::string> settings_of(const WhyOptions& options) {
  std::vector<std::string> settings;
  const auto add = [&](std::string_view key, const auto& value) {
    if (value) settings.push_back(fmt::format("{}={}", key, *value));
  };
  const bool described = options.model && options.device;
  if (described)
    settings.push_back(fmt::format("workload={{model: {}, device: {}, mfu: {}}}", *options.model,
                                   *options.device, options.mfu.value_or(std::string(usual_mfu))));
  if (!described) add("workload", options.model);
  add("cluster.device", options.device);
  add("cluster.workers", options.workers);
  add("cluster.link.bandwidth", options.link);
  add("cluster.link.latency", options.latency);
  add("training.batch", options.batch);
  return settings;
}

Result<std::optional<Seconds>> time_of(const std::optional<std::string>& text, const char* name) {
  if (!text) return std::optional<Seconds>();
  auto time = netmodels::parse<Seconds>(*text);
  if (!time) return refuse(name, time.error().what, time.error().hint);
  if (*time <= Seconds{}) return refuse(name, "a time above 0 s is expected", "write 182 ms, for example");
  return std::optional(*time);
}

/// What was measured, and of which scenario and arm.
struct Measured {
  std::string file;
  std::string arm;
  std::optional<int> workers;
  std::optional<Seconds> step, alone;
};

/// The first step and the first step alone of a file as `sim fit step` takes it.
Result<Measured> measured_of(const scenario::StepFigures& figures) {
  Measured measured{.file = figures.scenario};
  for (const scenario::StepFigure& figure : figures.measured) {
    if (figure.alone && !measured.alone) measured.alone = figure.alone;
    if (!figure.step || measured.step) continue;
    measured.step = figure.step;
    measured.arm = figure.arm.value_or("");
    measured.workers = figure.workers;
  }
  if (measured.step) return measured;
  return refuse(figures.measured.front().where, "no measured step", "add `{step: 182 ms, workers: 8}`");
}

/// Whether the file holds measured figures in place of a scenario.
bool holds_figures(const std::string& file) {
  const auto document = language::read_document(file);
  return document && document->root.is_map() && document->root.find("measured") != nullptr;
}

/// The file, and what the options say about it, which wins.
Result<Measured> asked(const WhyOptions& options) {
  Measured measured{.file = options.file};
  if (options.file.empty()) measured.file = (data_folder() / usual_file).string();
  if (holds_figures(measured.file)) {
    GRADSIM_TRY(figures, scenario::read_step_figures(measured.file, data_folder()));
    GRADSIM_TRY(read, measured_of(*figures));
    measured = std::move(*read);
  }
  GRADSIM_TRY(step, time_of(options.step, "--step"));
  GRADSIM_TRY(alone, time_of(options.alone, "--alone"));
  if (*step) measured.step = *step;
  if (*alone) measured.alone = *alone;
  if (!options.arm.empty()) measured.arm = options.arm;
  return measured;
}

Result<scenario::Scenario> arm_of(const scenario::Study& study, const std::string& name) {
  if (name.empty()) return study.arms.front();
  std::vector<std::string_view> names;
  for (const scenario::Scenario& arm : study.arms) {
    if (arm.name == name) return arm;
    names.push_back(arm.name);
  }
  return refuse("--arm", "unknown arm `" + name + "`", netmodels::accepted_names(name, names));
}

Result<fit::StepLoss> step_loss_of(const WhyOptions& options, const Measured& measured) {
  std::vector<std::string> stated = settings_of(options);
  if (!options.workers && measured.workers)
    stated.push_back(fmt::format("cluster.workers={}", *measured.workers));
  const auto read = [&](std::span<const std::string> settings) -> Result<scenario::Scenario> {
    std::vector<std::string> all = stated;
    all.insert(all.end(), settings.begin(), settings.end());
    GRADSIM_TRY(reading, options.scenario.read(measured.file, all));
    return arm_of(reading->study, measured.arm);
  };
  return fit::step_loss({read, measured.step, measured.alone});
}

int why(const WhyOptions& options) {
  const auto measured = asked(options);
  const auto loss = measured ? step_loss_of(options, *measured) : tl::unexpected(measured.error());
  if (!loss) {
    netmodels::Error error = loss.error();
    if (error.where.empty()) error.where = options.file;
    std::cerr << error.text() << "\n";
    return exit_refused;
  }
  std::cout << command_line::print(options.format, fit::step_loss_document(*loss, measured->file));
  return exit_done;
}

}  // namespace

void add_why(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("why", "shows where a step loses time, and which changes make it shorter");
  const auto options = std::make_shared<WhyOptions>();
  command
      ->add_option("FILE", options->file,
                   "a scenario, or measured figures as `sim fit step` takes them; without it "
                   "scenarios/why.yaml with the options below")
      ->transform(named_scenario)
      ->type_name("");
  command->add_option("--arm", options->arm, "this arm; without it the first one")->type_name("NAME");
  command->add_option("--step", options->step, "measured time of a step of all workers")->type_name("TIME");
  command->add_option("--alone", options->alone, "measured time of a step of one worker")->type_name("TIME");
  command->add_option("--model", options->model, "a name of `sim list workloads`")->type_name("NAME");
  command->add_option("--device", options->device, "the GPU, for a model that states no times")
      ->type_name("NAME");
  command
      ->add_option("--mfu", options->mfu,
                   "share of the device's peak that computing reaches; 40 % without it, with --device")
      ->type_name("SHARE");
  command->add_option("--workers", options->workers, "workers in all")->type_name("N");
  command->add_option("--link", options->link, "bandwidth of each worker's link, as 10Gbit/s")
      ->type_name("RATE");
  command->add_option("--latency", options->latency, "latency between two workers")->type_name("TIME");
  command->add_option("--batch", options->batch, "samples of a worker in a step")->type_name("N");
  command_line::add_format(*command, options->format);
  options->scenario.add_to(*command);
  command->footer(
      "Examples:\n  sim why --model resnet50_v100 --workers 16 --link 10Gbit/s --alone 96ms --step 240ms\n"
      "  sim why scenarios/quickstart.yaml --arm dense-ring\n  sim why measured.yaml");
  command->callback([options, &exit_code] { exit_code = why(*options); });
}

}  // namespace sim
