// `sim fit step` and `sim fit nccl`: find what a scenario or a description of hardware states wrongly from a
// few measured figures.
#include <iostream>
#include <memory>

#include "command_line/error_output.hpp"
#include "command_line/output_format.hpp"
#include "files/output_file.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/fit/nccl_fit_text.hpp"
#include "sim/fit/nccl_measured.hpp"
#include "sim/fit/step_fit_text.hpp"
#include "sim/report/metric.hpp"
#include "sim/scenario/nccl_keys.hpp"
#include "sim/scenario_files.hpp"
#include "sim/scenario_options.hpp"

namespace sim {
namespace {

struct FitStepOptions {
  std::string file;
  std::string out;
  std::string format;
  bool quiet = false;
  ScenarioOptions scenario;
};

/// Says what was written, unless asked to be quiet.
void say_written(const std::string& file, bool quiet) {
  if (!quiet) std::cerr << "written: " << file << "\n";
}

int refuse_fit(netmodels::Error error, const std::string& file) {
  if (error.where.empty()) error.where = file;
  command_line::print_error(std::cerr, error);
  return exit_refused;
}

/// Writes the scenario, then reads it as a user would.
netmodels::Result<void> write_fitted(const fit::StepFit& fitted, const FitStepOptions& options) {
  GRADSIM_TRY(assumed, options.scenario.read(fitted.scenario));
  GRADSIM_TRY(text, fit::fit_overlay(fitted, assumed->study, options.file));
  files::OutputFile sink(options.out);
  sink.write(*text);
  sink.finish();
  GRADSIM_TRY(written, options.scenario.read(options.out));
  for (const std::string& warning : fit::overridden(fitted, written->study))
    std::cerr << "warning: " << options.out << ": " << warning << "\n";
  say_written(options.out, options.quiet);
  return {};
}

int fit_step(const FitStepOptions& options) {
  auto figures = scenario::read_step_figures(options.file, data_folder());
  if (!figures) return refuse_fit(std::move(figures.error()), options.file);
  auto fitted = fit::fit_step(*figures, options.scenario.settings(), data_folder());
  if (!fitted) return refuse_fit(std::move(fitted.error()), options.file);
  std::cout << command_line::print(options.format, fit::fit_document(*fitted, options.file)) << std::flush;
  if (options.out.empty()) return exit_done;
  if (auto written = write_fitted(*fitted, options); !written)
    return refuse_fit(std::move(written.error()), options.file);
  return exit_done;
}

struct FitNcclOptions {
  std::string file;
  std::string cluster;
  std::string out;
  std::string format;
  bool quiet = false;
};

netmodels::Result<void> write_overlay(const fit::NcclFit& fitted, const FitNcclOptions& options) {
  GRADSIM_TRY(text, fit::nccl_overlay(fitted, options.file));
  files::OutputFile sink(options.out);
  sink.write(*text);
  sink.finish();
  say_written(options.out, options.quiet);
  return {};
}

int fit_nccl(const FitNcclOptions& options) {
  const auto measured = fit::read_nccl_measured(options.file);
  if (!measured) return refuse_fit(measured.error(), options.file);
  const auto described = scenario::read_nccl(options.cluster, data_folder());
  if (!described) return refuse_fit(described.error(), options.file);
  for (const std::string& warning : described->warnings) std::cerr << "warning: " << warning << "\n";
  const auto fitted = fit::fit_nccl(described->hardware, *measured, options.cluster);
  if (!fitted) return refuse_fit(fitted.error(), options.file);
  std::cout << command_line::print(options.format, fit::nccl_fit_document(*fitted, options.file))
            << std::flush;
  for (const std::string& warning : fitted->warnings)
    std::cerr << "warning: " << options.file << ": " << warning << "\n";
  if (options.out.empty()) return exit_done;
  if (auto written = write_overlay(*fitted, options); !written)
    return refuse_fit(written.error(), options.file);
  return exit_done;
}

void add_fit_nccl(CLI::App& fit, int& exit_code) {
  CLI::App* command = fit.add_subcommand(
      "nccl", "corrects the modelled times of NCCL by a few measured sizes, and says what to measure next");
  const auto options = std::make_shared<FitNcclOptions>();
  command
      ->add_option("MEASURED", options->file,
                   "measured times of one collective: YAML, or CSV as `calibrate import` writes it")
      ->required()
      ->type_name("");
  command
      ->add_option("--cluster", options->cluster,
                   "a file with the key `nccl`, or a name of `sim list clusters`")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--out", options->out,
                   "writes an overlay for scenarios (`use: FILE`) with the measured times")
      ->type_name("FILE");
  command_line::add_format(*command, options->format);
  command->add_flag("--quiet", options->quiet, "does not say what was written");
  command->footer(
      "Example of MEASURED:\n"
      "  operation: all_reduce\n"
      "  ranks: 8\n"
      "  points: [{size: 8 B, time: 17.9 us}, {size: 128 MiB, time: 1916 us}]\n"
      "Example:\n  sim fit nccl measured.yaml --cluster nvidia_dgx_h100 --out measured_h100.yaml");
  command->callback([options, &exit_code] { exit_code = fit_nccl(*options); });
}

}  // namespace

void add_fit(CLI::App& program, int& exit_code) {
  CLI::App* fit = program.add_subcommand("fit", "finds what a scenario states wrongly from measured figures");
  fit->require_subcommand(1);
  add_fit_nccl(*fit, exit_code);
  CLI::App* command = fit->add_subcommand(
      "step",
      "finds goodput, host overhead, overlap slow-down and compression times from a few measured steps");
  const auto options = std::make_shared<FitStepOptions>();
  command
      ->add_option("MEASURED", options->file, "measured figures and the scenario that they belong to (YAML)")
      ->required()
      ->type_name("");
  command->add_option("--out", options->out, "writes a scenario with the values that were found")
      ->type_name("FILE");
  command_line::add_format(*command, options->format);
  command->add_flag("--quiet", options->quiet, "does not say what was written");
  options->scenario.add_to(*command);
  command->footer(
      "Example of MEASURED:\n"
      "  scenario: quickstart.yaml\n"
      "  measured: [{step: 182 ms, arm: dense-ring, workers: 8}, {alone: 96 ms}]\n"
      "Example:\n  sim fit step measured.yaml --out fitted.yaml");
  command->callback([options, &exit_code] { exit_code = fit_step(*options); });
}

}  // namespace sim
