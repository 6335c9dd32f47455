// Parses a command line and calls the command.
#include "sim/program.hpp"

#include <iostream>

#include "command_line/memory_limit.hpp"
#include "command_line/self_description.hpp"
#include "command_line/usage.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"

namespace sim {
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
  add_served_commands(program, exit_code);
  add_serve(program, exit_code);
  program.set_version_flag("--version", "sim " GRADSIM_VERSION, "prints the version");
  command_line::add_self_description(program, GRADSIM_VERSION, std::cout);
}

}  // namespace

void add_served_commands(CLI::App& program, int& exit_code) {
  add_run(program, exit_code);
  add_check(program, exit_code);
  add_explain(program, exit_code);
  add_why(program, exit_code);
  add_cost(program, exit_code);
  add_sweep(program, exit_code);
  add_advise(program, exit_code);
  add_fit(program, exit_code);
  add_report(program, exit_code);
  add_list(program, exit_code);
  add_schema(program, exit_code);
  add_new(program, exit_code);
  add_diff(program, exit_code);
  add_version(program, exit_code);
}

int run_command_line(const std::vector<std::string>& words) {
  CLI::App program{
      "gradsim: predicts what data-parallel training costs on a given cluster, network and policy", "sim"};
  int exit_code = exit_done;
  add_commands(program, exit_code);
  std::vector<const char*> arguments{"sim"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const int count = static_cast<int>(arguments.size());
  try {
    program.parse(count, arguments.data());
  } catch (const CLI::ParseError& error) {
    return command_line::answer_usage(program, error, count, arguments.data(), std::cerr, exit_usage);
  }
  return exit_code;
}

}  // namespace sim
