// The program `sim`: parses arguments, calls the command, and returns its exit code.
#include <exception>
#include <iostream>
#include <new>

#include <CLI/CLI.hpp>

#include "command_line/interruption.hpp"
#include "command_line/memory_limit.hpp"
#include "command_line/self_description.hpp"
#include "command_line/usage.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"

namespace {

void add_commands(CLI::App& program, int& exit_code) {
  program.require_subcommand(1);
  command_line::add_memory_limit(program);
  program.footer(
      "Examples:\n"
      "  sim run scenarios/quickstart.yaml\n"
      "  sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s\n"
      "Exit codes: 0 done, 1 input refused or --strict missed, 2 usage, 3 device or system failed, 130 or "
      "143 ended by a signal.\n"
      "`sim COMMAND --help` shows details.");
  sim::add_run(program, exit_code);
  sim::add_check(program, exit_code);
  sim::add_explain(program, exit_code);
  sim::add_why(program, exit_code);
  sim::add_cost(program, exit_code);
  sim::add_sweep(program, exit_code);
  sim::add_advise(program, exit_code);
  sim::add_fit(program, exit_code);
  sim::add_report(program, exit_code);
  sim::add_list(program, exit_code);
  sim::add_schema(program, exit_code);
  sim::add_new(program, exit_code);
  sim::add_diff(program, exit_code);
  sim::add_version(program, exit_code);
  program.set_version_flag("--version", "sim " GRADSIM_VERSION, "prints the version");
  command_line::add_self_description(program, GRADSIM_VERSION, std::cout);
}

int run_program(int argc, char** argv) {
  CLI::App program{
      "gradsim: predicts what data-parallel training costs on a given cluster, network and policy", "sim"};
  int exit_code = sim::exit_done;
  add_commands(program, exit_code);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command_line::answer_usage(program, error, argc, argv, std::cerr, sim::exit_usage);
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
    std::cerr << "sim: standard output cannot be written\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "sim: " << command_line::memory_message() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "sim: " << error.what() << "\n";
  }
  return sim::exit_broken;
}
