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

/// "did you mean `run`?" for the first word after the program's name, where it resembles a command.
std::string near_command(const CLI::App& program, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (std::ranges::find(known, word) != known.end()) return "";
  return netmodels::suggestion(word, known);
}

}  // namespace

int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, int exit_usage) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const std::string guess = argc > 1 ? near_command(program, argv[1]) : "";
  errors << program.get_name() << ": " << netmodels::Error{{}, error.what(), {}}.text() << "\n"
         << (guess.empty() ? "" : guess + " ") << "`" << program.get_name()
         << " --help` shows the accepted options\n";
  return exit_usage;
}

}  // namespace command_line
