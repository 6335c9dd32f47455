// `sim why`: where a step of several workers loses time, and what would make it shorter.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command_line/error_output.hpp"
#include "command_line/output_format.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/fit/step_loss_text.hpp"
#include "sim/language/document.hpp"
#include "sim/new_scenario.hpp"
#include "sim/scenario/step_figures.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

using netmodels::refuse;
using netmodels::Result;
using netmodels::Seconds;

constexpr std::string_view usual_file = "why.yaml";

struct WhyOptions {
  std::string file;
  std::string arm;
  std::string format;
  std::optional<std::string> model, device, mfu, link, latency, step, alone;
  std::optional<int> workers, batch;
  ScenarioOptions scenario;
};

/// A key that an option states.
struct OptionKey {
  std::string_view option;
  std::string_view key;
  std::string value;
};

/// The workload of `--model` on `--device`, as `sim new` writes it.
Result<std::string> workload_of(const WhyOptions& options) {
  if (!options.device) return *options.model;
  if (options.mfu)
    return fmt::format("{{model: {}, device: {}, mfu: {}}}", *options.model, *options.device, *options.mfu);
  GRADSIM_TRY(choices, workload_choices({.model = *options.model, .device = *options.device}, data_folder()));
  return choices->front().value;
}

Result<std::vector<OptionKey>> stated_keys(const WhyOptions& options) {
  std::vector<OptionKey> keys;
  if (options.model) {
    GRADSIM_TRY(workload, workload_of(options));
    keys.push_back({"--model", "workload", std::move(*workload)});
  }
  const auto add = [&](std::string_view option, std::string_view key, const auto& value) {
    if (value) keys.push_back({option, key, fmt::format("{}", *value)});
  };
  add("--workers", "cluster.workers", options.workers);
  add("--link", "cluster.link.bandwidth", options.link);
  add("--latency", "cluster.link.latency", options.latency);
  add("--batch", "training.batch", options.batch);
  return keys;
}

/// Whether one key is the other or holds it: `cluster` and `cluster.workers`.
bool overlap(std::string_view one, std::string_view other) {
  const auto holds = [](std::string_view outer, std::string_view inner) {
    return inner == outer || (inner.starts_with(outer) && inner.substr(outer.size()).starts_with("."));
  };
  return holds(one, other) || holds(other, one);
}

/// Refuses options and `--set` that state the same.
Result<void> check_options(const std::vector<OptionKey>& keys, const std::vector<std::string>& settings) {
  for (const OptionKey& stated : keys) {
    for (const std::string& setting : settings) {
      const std::string key = setting.substr(0, setting.find('='));
      if (overlap(key, stated.key))
        return refuse(std::string(stated.option), fmt::format("`--set {}` states the same", key),
                      "leave one of them out, or state both in a scenario");
    }
  }
  return {};
}

/// Names the option that was given.
netmodels::Error by_option(netmodels::Error error, const std::vector<OptionKey>& keys) {
  for (const OptionKey& stated : keys) {
    if (error.where == "--set " + std::string(stated.key)) error.where = stated.option;
  }
  return error;
}

Result<std::optional<Seconds>> time_of(const std::optional<std::string>& text, const char* name) {
  if (!text) return std::optional<Seconds>();
  auto time = netmodels::parse<Seconds>(*text);
  if (!time) return refuse(name, time.error().what, time.error().hint);
  if (*time <= Seconds{}) return refuse(name, "a time above 0 s is expected", "write 182 ms, for example");
  return std::optional(*time);
}

/// Measured times, with their scenario and arm.
struct Measured {
  std::string file;
  std::string arm;
  std::optional<int> workers;
  std::optional<Seconds> step, alone;
};

/// The first step of the arm and number of workers that are asked for.
void take_step(const scenario::StepFigures& figures, const WhyOptions& options, Measured& measured) {
  for (const scenario::StepFigure& figure : figures.measured) {
    const bool arm = measured.arm.empty() || figure.arm.value_or(measured.arm) == measured.arm;
    const bool workers = !options.workers || figure.workers.value_or(*options.workers) == *options.workers;
    if (!figure.step || !arm || !workers) continue;
    measured.step = figure.step;
    measured.arm = figure.arm.value_or(measured.arm);
    measured.workers = figure.workers;
    return;
  }
}

/// The first step alone of the arm, or of no arm in particular.
std::optional<Seconds> alone_of(const scenario::StepFigures& figures, const std::string& arm) {
  for (const scenario::StepFigure& figure : figures.measured) {
    if (figure.alone && (arm.empty() || figure.arm.value_or(arm) == arm)) return figure.alone;
  }
  return std::nullopt;
}

Result<Measured> measured_of(const scenario::StepFigures& figures, const WhyOptions& options) {
  Measured measured{.file = figures.scenario, .arm = options.arm};
  take_step(figures, options, measured);
  measured.alone = alone_of(figures, measured.arm);
  if (measured.step || options.step) return measured;
  return refuse(figures.measured.front().where, "no measured step of that arm and number of workers",
                "add `{step: 182 ms, workers: 8}`, or give `--step`");
}

/// Whether the file holds measured figures in place of a scenario.
bool holds_figures(const std::string& file) {
  const auto document = language::read_document(file);
  return document && document->root.is_map() && document->root.find("measured") != nullptr;
}

/// The file, and what the options say about it, which wins.
Result<Measured> measured_by(const WhyOptions& options) {
  Measured measured{.file = options.file, .arm = options.arm};
  if (options.file.empty()) measured.file = (data_folder() / usual_file).string();
  if (holds_figures(measured.file)) {
    GRADSIM_TRY(figures, scenario::read_step_figures(measured.file, data_folder()));
    GRADSIM_TRY(read, measured_of(*figures, options));
    measured = std::move(*read);
  }
  GRADSIM_TRY(step, time_of(options.step, "--step"));
  GRADSIM_TRY(alone, time_of(options.alone, "--alone"));
  if (*step) measured.step = *step;
  if (*alone) measured.alone = *alone;
  return measured;
}

Result<fit::StepLoss> step_loss_of(const WhyOptions& options, const Measured& measured,
                                   const std::vector<OptionKey>& keys) {
  if (auto checked = check_options(keys, options.scenario.settings()); !checked)
    return tl::unexpected(checked.error());
  std::vector<std::string> more;
  for (const OptionKey& stated : keys) more.push_back(fmt::format("{}={}", stated.key, stated.value));
  if (!options.workers && measured.workers)
    more.push_back(fmt::format("cluster.workers={}", *measured.workers));
  GRADSIM_TRY(reading, options.scenario.read_measured(
                           measured.file, more, [](const std::string& line) { std::cerr << line << "\n"; }));
  print_warnings(reading->reading.study);
  const scenario::Study& study = reading->reading.study;
  GRADSIM_TRY(arm, find_arm(study, measured.arm.empty() ? study.arms.front().name : measured.arm));
  std::vector<std::string> all = options.scenario.settings();
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), reading->settings.begin(), reading->settings.end());
  const auto read = [&](std::span<const std::string> settings) -> Result<scenario::Scenario> {
    if (settings.empty()) return **arm;
    std::vector<std::string> changed = all;
    changed.insert(changed.end(), settings.begin(), settings.end());
    return scenario::read_arm(measured.file, changed, data_folder(), (*arm)->name);
  };
  return fit::step_loss({read, measured.step, measured.alone});
}

int refuse_why(netmodels::Error error, const std::string& file) {
  if (error.where.empty()) error.where = file;
  command_line::print_error(std::cerr, error);
  return exit_refused;
}

int why(const WhyOptions& options) {
  const auto measured = measured_by(options);
  if (!measured) return refuse_why(measured.error(), options.file);
  const auto keys = stated_keys(options);
  if (!keys) return refuse_why(keys.error(), "--model");
  const auto loss = step_loss_of(options, *measured, *keys);
  if (!loss) return refuse_why(by_option(loss.error(), *keys), measured->file);
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
  CLI::Option* const model =
      command->add_option("--model", options->model, "a name of `sim list workloads`")->type_name("NAME");
  CLI::Option* const device =
      command
          ->add_option("--device", options->device, "the GPU of a transformer: a name of `sim list devices`")
          ->type_name("NAME")
          ->needs(model);
  command
      ->add_option("--mfu", options->mfu,
                   "share of the device's peak that computing reaches; without it as `sim new` takes it")
      ->type_name("SHARE")
      ->needs(device);
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
