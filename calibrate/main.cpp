// The program `calibrate`: parses arguments, calls the command, and turns what happened into an exit code.
#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "calibrate/command_fit.hpp"
#include "calibrate/command_fit_statistical.hpp"
#include "calibrate/command_import.hpp"
#include "calibrate/command_validate.hpp"
#include "calibrate/exit_code.hpp"
#include "netmodels/nearest.hpp"

namespace {

void add_output(CLI::App& command, std::string& output, const std::string& what) {
  command.add_option("-o,--output", output, what + "; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
}

/// The options by which a fit with too large an error is held back.
template <class Options>
void add_band(CLI::App& command, Options& options, const std::string& what) {
  command.add_option("--band", options.band_percent, what)
      ->type_name("PERCENT")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--force", options.force, "writes fits outside the band all the same");
  command.add_flag("--quiet", options.quiet, "says nothing but errors");
}

void add_import_tool(CLI::App& import, const std::string& tool, const std::string& what, int& exit_code) {
  CLI::App* command = import.add_subcommand(tool, what);
  const auto options = std::make_shared<calibrate::ImportOptions>();
  options->tool = tool;
  command->add_option("FILE", options->files, "logs of one collective on the same ranks; - is standard input")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "measurements file (CSV)");
  command
      ->add_option("--collective", options->collective,
                   "all_reduce, all_gather, ...; without it, as the log says")
      ->type_name("NAME");
  command->add_option("--ranks", options->ranks, "N, where the log does not list its ranks")->type_name("N");
  command->add_option("--nodes", options->nodes, "machines that the ranks shared")->type_name("N");
  command->add_option("--network", options->network, "provenance: links and transport")->type_name("TEXT");
  command->add_option("--source", options->source, "provenance: where the log comes from; default: FILE")
      ->type_name("TEXT");
  command->add_option("--licence", options->licence, "provenance: licence of the figures")->type_name("TEXT");
  command->add_flag("--quiet", options->quiet, "says nothing but errors");
  command->callback(
      [options, &exit_code] { exit_code = calibrate::run_import(*options, std::cout, std::cerr); });
}

void add_import(CLI::App& program, int& exit_code) {
  CLI::App* import = program.add_subcommand("import", "turns other tools' logs into a measurements file");
  import->require_subcommand(1);
  import->footer(
      "Examples:\n  calibrate import nccl-tests all_reduce.log -o all_reduce.csv\n"
      "  calibrate import osu osu_allreduce.txt --ranks 16 --nodes 4 -o all_reduce.csv");
  add_import_tool(*import, "nccl-tests", "text of nccl-tests since 2.0, or its JSON (-J)", exit_code);
  add_import_tool(*import, "osu", "text of the OSU Micro-Benchmarks' latency tests", exit_code);
}

void add_law_provenance(CLI::App& command, calibrate::FitStatisticalOptions& options) {
  command.add_option("--model", options.model, "provenance: what was trained")->type_name("TEXT");
  command.add_option("--data-set", options.data_set, "provenance: on what")->type_name("TEXT");
  command.add_option("--samples", options.samples, "of the training set")->type_name("N");
  command.add_option("--source", options.source, "provenance: where the trainings come from")
      ->type_name("TEXT");
  command.add_option("--licence", options.licence, "provenance: licence of the figures")->type_name("TEXT");
}

void add_fit_statistical(CLI::App& fit, int& exit_code) {
  CLI::App* command = fit.add_subcommand("statistical", "fits steps, accuracy and noise to whole trainings");
  const auto options = std::make_shared<calibrate::FitStatisticalOptions>();
  options->version = GRADSIM_VERSION;
  command
      ->add_option("TRAININGS", options->files,
                   "AdaptDL's validation-BATCH.csv or our records, at two batches at least")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "file of the law (CSV)");
  command->add_option("--target", options->target, "accuracy to be reached")->required()->type_name("SHARE");
  command->add_flag("--percent", options->percent, "the metric and the target are in percent");
  command
      ->add_option("--steps-to", options->steps_to,
                   "smoothed (where its monotone regression crosses the target) or first evaluation above it")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"smoothed", "first"}));
  command
      ->add_option("--initial-batch", options->initial_batch,
                   "AdaptDL's B_0; without it, of the training whose progress counts its steps")
      ->type_name("SAMPLES");
  add_law_provenance(*command, *options);
  add_band(*command, *options, "most mean error of the steps in a law that is written, in %");
  command->footer(
      "Example:\n"
      "  calibrate fit statistical record_64.csv record_256.csv record_1024.csv --target 0.9 -o law.csv");
  command->callback(
      [options, &exit_code] { exit_code = calibrate::run_fit_statistical(*options, std::cout, std::cerr); });
}

void add_fit(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("fit", "fits time over size, with its error on held-out sizes");
  const auto options = std::make_shared<calibrate::FitOptions>();
  options->version = GRADSIM_VERSION;
  CLI::Option* files =
      command->add_option("MEASUREMENTS", options->files, "measurements files (CSV), each one fit")
          ->type_name("");
  add_output(*command, options->output, "file of fits (YAML)");
  command
      ->add_option("--segments", options->segments,
                   "pieces of the fit: auto (by cross-validation), 1, 2 or 3")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "1", "2", "3"}));
  add_band(*command, *options, "most mean held-out error of a fit that is written, in %");
  command->footer(
      "Examples:\n"
      "  calibrate fit scenarios/measurements/aws_2x1_socket_all_reduce.csv\n"
      "  calibrate fit all_reduce.csv all_gather.csv -o cluster.yaml --segments 2");
  add_fit_statistical(*command, exit_code);
  command->callback([command, files, options, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    if (files->empty()) throw CLI::RequiredError(files->get_name());
    exit_code = calibrate::run_fit(*options, std::cout, std::cerr);
  });
}

void add_validate(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("validate", "prints predicted against measured for every row of a ledger");
  const auto options = std::make_shared<calibrate::ValidateOptions>();
  command
      ->add_option("LEDGER", options->ledger,
                   "CSV with the columns measurements,model,tolerance_percent; paths count from it")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "where the predictions go");
  command->add_option("--format", options->format, "table or csv")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "csv"}));
  command->footer(
      "Exit code 1 where the mean error of a row is above its tolerance.\n"
      "Example:\n  calibrate validate ledger.csv");
  command->callback(
      [options, &exit_code] { exit_code = calibrate::run_validate(*options, std::cout, std::cerr); });
}

void add_commands(CLI::App& program, int& exit_code) {
  program.require_subcommand(1);
  program.set_version_flag("--version", "calibrate " GRADSIM_VERSION, "prints the version");
  program.footer(
      "Examples:\n  calibrate import nccl-tests all_reduce.log -o all_reduce.csv\n"
      "  calibrate fit all_reduce.csv -o cluster.yaml\n"
      "Exit codes: 0 done, 1 input refused or a bound missed, 2 usage, 3 device or system failed.\n"
      "`calibrate COMMAND --help` says more.");
  add_import(program, exit_code);
  add_fit(program, exit_code);
  add_validate(program, exit_code);
}

/// "did you mean `fit`?" for the first word behind `calibrate`, where that is near a command.
std::string near_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return std::ranges::find(known, word) == known.end() ? netmodels::suggestion(word, known) : "";
}

int usage(const CLI::App& program, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  std::cerr << "calibrate: " << error.what() << "\n";
  const std::string guess = argc > 1 ? near_command(program, argv[1]) : "";
  std::cerr << (guess.empty() ? "" : guess + " ") << "`calibrate --help` shows what is accepted\n";
  return calibrate::exit_usage;
}

int run_program(int argc, char** argv) {
  CLI::App program{
      "gradsim: measurements become the parameters of clusters, with errors on sizes they have not seen",
      "calibrate"};
  int exit_code = calibrate::exit_done;
  add_commands(program, exit_code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage(program, error, argc, argv);
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int exit_code = run_program(argc, argv);
    std::cout.flush();
    if (std::cout) return exit_code;
    std::cerr << "calibrate: standard output cannot be written\n";
  } catch (const std::exception& error) {
    std::cerr << "calibrate: " << error.what() << "\n";
  }
  return calibrate::exit_broken;
}
