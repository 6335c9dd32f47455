// The program `calibrate`: parses arguments, calls the command, and returns its exit code.
#include <exception>
#include <iostream>
#include <new>

#include <CLI/CLI.hpp>

#include "calibrate/arguments.hpp"
#include "calibrate/exit_code.hpp"
#include "command_line/interruption.hpp"
#include "command_line/memory_limit.hpp"
#include "command_line/self_description.hpp"
#include "command_line/usage.hpp"

namespace {

void add_commands(CLI::App& program, int& exit_code) {
  program.require_subcommand(1);
  command_line::add_memory_limit(program);
  program.set_version_flag("--version", "calibrate " GRADSIM_VERSION, "prints the version");
  program.footer(
      "Examples:\n"
      "  calibrate import nccl-tests all_reduce.log -o all_reduce.csv\n"
      "  calibrate fit all_reduce.csv -o cluster.yaml\n"
      "Exit codes: 0 done, 1 input refused or a bound missed, 2 usage, 3 device or system failed, 130 or 143 "
      "ended by a signal.\n"
      "`calibrate COMMAND --help` shows details.");
  calibrate::add_import(program, exit_code);
  calibrate::add_fit(program, exit_code);
  calibrate::add_probe(program, exit_code);
  calibrate::add_validate(program, exit_code);
  command_line::add_self_description(program, GRADSIM_VERSION, std::cout);
}

int run_program(int argc, char** argv) {
  CLI::App program{"gradsim: turns measurements into cluster parameters, with errors on held-out sizes",
                   "calibrate"};
  int exit_code = calibrate::exit_done;
  add_commands(program, exit_code);
  if (command_line::refuse_split_quantity(program, argc, argv, std::cerr)) return calibrate::exit_usage;
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command_line::answer_usage(program, error, argc, argv, std::cerr, {calibrate::exit_usage});
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::survive_file_limits();
  try {
    const int exit_code = run_program(argc, argv);
    std::cout.flush();
    if (std::cout) return exit_code;
    std::cerr << "calibrate: standard output cannot be written\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "calibrate: " << command_line::memory_message() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "calibrate: " << error.what() << "\n";
  }
  return calibrate::exit_broken;
}
