// Options of `calibrate fit`, model by model.
#include <iostream>
#include <memory>
#include <string>

#include "calibrate/arguments.hpp"
#include "calibrate/commands.hpp"
#include "command_line/known_words.hpp"

namespace calibrate {
namespace {

void add_law_provenance(CLI::App& command, FitStatisticalOptions& options) {
  command.add_option("--model", options.model, "provenance: what was trained")->type_name("TEXT");
  command.add_option("--data-set", options.data_set, "provenance: on what")->type_name("TEXT");
  command.add_option("--samples", options.samples, "of the training set")->type_name("N");
  command.add_option("--source", options.source, "provenance: source of the trainings")->type_name("TEXT");
  command.add_option("--licence", options.licence, "provenance: licence of the figures")->type_name("TEXT");
}

void add_fit_statistical(CLI::App& fit, int& exit_code) {
  CLI::App* command = fit.add_subcommand("statistical", "fits steps, accuracy and noise to whole trainings");
  const auto options = std::make_shared<FitStatisticalOptions>();
  options->version = GRADSIM_VERSION;
  command
      ->add_option("TRAININGS", options->files,
                   "AdaptDL's validation-BATCH.csv or our records, at two batches at least")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "output file of the model (CSV)");
  command->add_option("--target", options->target, "accuracy to be reached")->required()->type_name("SHARE");
  command->add_flag("--percent", options->percent, "the metric and the target are in percent");
  command
      ->add_option("--steps-to", options->steps_to,
                   "smoothed (where its monotone regression crosses the target) or first evaluation above it")
      ->type_name("NAME")
      ->capture_default_str()
      ->check(command_line::known_words({"smoothed", "first"}));
  command
      ->add_option("--initial-batch", options->initial_batch,
                   "AdaptDL's B_0; without it, of the training whose progress counts its steps")
      ->type_name("SAMPLES");
  add_law_provenance(*command, *options);
  add_band(*command, *options,
           "maximum mean error of the steps in a model that is written (one batch held out, where there "
           "are three), in %");
  command->footer(
      "Example:\n"
      "  calibrate fit statistical record_64.csv record_256.csv record_1024.csv --target 0.9 -o model.csv");
  command->callback(
      [options, &exit_code] { exit_code = run_fit_statistical(*options, std::cout, std::cerr); });
}

void add_fit_link(CLI::App& fit, int& exit_code) {
  CLI::App* command =
      fit.add_subcommand("link", "fits one link to messages, or to a collective on several ranks");
  const auto options = std::make_shared<FitLinkOptions>();
  options->version = GRADSIM_VERSION;
  command
      ->add_option(
          "MEASUREMENTS", options->files,
          "one table of point_to_point, or tables of one collective on three numbers of ranks at least")
      ->required()
      ->type_name("");
  add_output(*command, options->output, "cluster file (YAML)");
  add_band(*command, *options, "maximum mean held-out error of a link that is written, in %");
  command->footer("Example:\n  calibrate fit link ranks_2.csv ranks_4.csv ranks_8.csv -o cluster.yaml");
  command->callback([options, &exit_code] { exit_code = run_fit_link(*options, std::cout, std::cerr); });
}

void add_fit_kernels(CLI::App& fit, int& exit_code) {
  CLI::App* command = fit.add_subcommand("kernels", "fits what compressors cost over size and ratio");
  const auto options = std::make_shared<FitKernelsOptions>();
  options->version = GRADSIM_VERSION;
  command
      ->add_option("TIMES", options->file, "file that `calibrate probe kernels` wrote; - is standard input")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--cache", options->cache,
          "gradients of up to this many bytes are fitted apart from longer ones; default: one fit for all")
      ->type_name("SIZE");
  add_output(*command, options->output, "file of kernel costs (YAML)");
  add_band(*command, *options, "maximum median held-out error of a fit that is written, in %");
  command->add_flag("--partial", options->partial,
                    "write the compressors within the band, and name those that are left out");
  command->footer("Example:\n  calibrate fit kernels times.csv -o kernel_costs.yaml");
  command->callback([options, &exit_code] { exit_code = run_fit_kernels(*options, std::cout, std::cerr); });
}

}  // namespace

void add_fit(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand("fit", "fits time over size, with its error on held-out sizes");
  const auto options = std::make_shared<FitOptions>();
  options->version = GRADSIM_VERSION;
  CLI::Option* files =
      command->add_option("MEASUREMENTS", options->files, "measurements files (CSV), each one fit")
          ->type_name("");
  add_output(*command, options->output, "file of fits (YAML)");
  command
      ->add_option("--segments", options->segments,
                   "pieces of the fit: auto (by cross-validation, also of lines between sizes), 1, 2 or 3")
      ->type_name("N")
      ->capture_default_str()
      ->check(command_line::known_words({"auto", "1", "2", "3"}));
  add_band(*command, *options, "maximum mean held-out error of a fit that is written, in %");
  command->footer(
      "Examples:\n"
      "  calibrate fit scenarios/measurements/aws_2x1_socket_all_reduce.csv\n"
      "  calibrate fit all_reduce.csv all_gather.csv -o cluster.yaml --segments 2");
  add_fit_link(*command, exit_code);
  add_fit_statistical(*command, exit_code);
  add_fit_kernels(*command, exit_code);
  command->callback([command, files, options, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    if (files->empty()) throw CLI::RequiredError(files->get_name());
    exit_code = run_fit(*options, std::cout, std::cerr);
  });
}

}  // namespace calibrate
