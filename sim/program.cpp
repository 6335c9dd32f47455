// Parses a command line and calls the command.
#include "sim/program.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string_view>

#include "command_line/memory_limit.hpp"
#include "command_line/self_description.hpp"
#include "command_line/usage.hpp"
#include "sim/commands.hpp"
#include "sim/exit_code.hpp"
#include "sim/scenario/setting_of_option.hpp"

namespace sim {
namespace {

using AddCommand = void (*)(CLI::App& program, int& exit_code);

/// Command that a request may name.
struct ServedCommand {
  std::string_view name;
  AddCommand add;
};

/// Rows in the order of `sim --help`.
constexpr std::array served_commands{
    ServedCommand{"run", add_run},         ServedCommand{"check", add_check},
    ServedCommand{"explain", add_explain}, ServedCommand{"why", add_why},
    ServedCommand{"cost", add_cost},       ServedCommand{"sweep", add_sweep},
    ServedCommand{"advise", add_advise},   ServedCommand{"fit", add_fit},
    ServedCommand{"report", add_report},   ServedCommand{"list", add_list},
    ServedCommand{"schema", add_schema},   ServedCommand{"new", add_new},
    ServedCommand{"diff", add_diff},       ServedCommand{"version", add_version},
};

/// `--quiet` of commands that have no progress, so that a script can state it for every command.
void accept_quiet(CLI::App& command) {
  const auto parts = command.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* part : parts) accept_quiet(*part);
  if (parts.empty() && command.get_option_no_throw("--quiet") == nullptr)
    command.add_flag("--quiet")->description("no progress on stderr: the command has none");
}

/// The command that the first word names, alone: describing the others takes longer than many answers.
/// Without one, and for help, all commands.
void add_commands(CLI::App& program, int& exit_code, std::string_view first_word) {
  program.require_subcommand(1);
  command_line::add_memory_limit(program);
  program.footer(
      "Examples:\n"
      "  sim run scenarios/quickstart.yaml\n"
      "  sim cost ring_allreduce --ranks 8 --size 100MB --latency 500ns --bandwidth 50GB/s\n"
      "Exit codes: 0 done, 1 input refused or --strict missed, 2 usage, 3 device or system failed, 130 or "
      "143 ended by a signal.\n"
      "`sim COMMAND --help` shows details.");
  const auto named = std::ranges::find(served_commands, first_word, &ServedCommand::name);
  if (named != served_commands.end()) {
    named->add(program, exit_code);
    accept_quiet(program);
    return;
  }
  add_served_commands(program, exit_code);
  add_serve(program, exit_code);
  program.set_version_flag("--version", "sim " GRADSIM_VERSION, "prints the version");
  command_line::add_self_description(program, GRADSIM_VERSION, std::cout);
}

}  // namespace

void add_served_commands(CLI::App& program, int& exit_code) {
  for (const ServedCommand& command : served_commands) command.add(program, exit_code);
  accept_quiet(program);
}

int run_command_line(const std::vector<std::string>& words) {
  CLI::App program{
      "gradsim: predicts what data-parallel training costs on a given cluster, network and policy", "sim"};
  int exit_code = exit_done;
  add_commands(program, exit_code, words.empty() ? std::string_view{} : words.front());
  std::vector<const char*> arguments{"sim"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const int count = static_cast<int>(arguments.size());
  if (command_line::refuse_split_quantity(program, count, arguments.data(), std::cerr)) return exit_usage;
  try {
    program.parse(count, arguments.data());
  } catch (const CLI::ParseError& error) {
    return command_line::answer_usage(program, error, count, arguments.data(), std::cerr,
                                      {exit_usage, scenario::setting_of_option});
  }
  return exit_code;
}

}  // namespace sim
