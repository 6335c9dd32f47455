// Options of `calibrate validate`.
#include <iostream>
#include <memory>
#include <string>

#include "calibrate/arguments.hpp"
#include "calibrate/commands.hpp"
#include "command_line/output_format.hpp"

namespace calibrate {

void add_validate(CLI::App& program, int& exit_code) {
  CLI::App* command =
      program.add_subcommand("validate", "prints predicted against measured for every entry of a ledger");
  const auto options = std::make_shared<ValidateOptions>();
  command
      ->add_option("LEDGER", options->ledger,
                   "YAML: entries with name, rule, measurements and a band; paths count from it")
      ->required()
      ->type_name("");
  command
      ->add_option("--results", options->results,
                   "folder of the output of `sim run --format json`, for entries with the rule `published`; "
                   "default: the ledger's")
      ->type_name("FOLDER");
  command
      ->add_option(
          "--last", options->last,
          "an earlier page of `--format markdown`, which keeps the figures of entries that are skipped")
      ->type_name("FILE");
  add_output(*command, options->output, "output file of the predictions");
  command_line::add_format(*command, options->format, command_line::all_forms);
  command->footer(
      "Exit code 1 where an entry is worse than recorded. Entries whose files are missing are skipped and "
      "listed.\n"
      "Example:\n"
      "  calibrate validate tests/ledger.yaml");
  command->callback([options, &exit_code] { exit_code = run_validate(*options, std::cout, std::cerr); });
}

}  // namespace calibrate
