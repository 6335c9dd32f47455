// Suggestions for misspelt commands.
#include "command_line/usage.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/result.hpp"

namespace command_line {
namespace {

/// The command of this name; null where there is none.
const CLI::App* find_command(const CLI::App& program, std::string_view name) {
  const auto named = program.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
  return named.empty() ? nullptr : named.front();
}

/// "did you mean `run`?" for the first word after the program's name, where it resembles a command.
std::string near_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  return netmodels::suggestion(word, known);
}

/// "did you mean `--set`?" for an option that the command does not have.
std::string near_option(const CLI::App& command, int argc, const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back("--" + option->get_single_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (!word.starts_with("--") || std::ranges::find(known, word) != known.end()) continue;
    return netmodels::suggestion(word, known);
  }
  return "";
}

}  // namespace

int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, int exit_usage) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const CLI::App* command = argc > 1 ? find_command(program, argv[1]) : nullptr;
  std::string guess = argc > 1 && command == nullptr ? near_command(program, argv[1]) : "";
  if (command != nullptr) guess = near_option(*command, argc, argv);
  const std::string shown = program.get_name() + (command == nullptr ? "" : " " + command->get_name());
  errors << program.get_name() << ": " << netmodels::Error{{}, error.what(), {}}.text() << "\n"
         << (guess.empty() ? "" : guess + " ") << "`" << shown << " --help` shows the accepted options\n";
  return exit_usage;
}

}  // namespace command_line
