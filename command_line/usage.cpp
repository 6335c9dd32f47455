// Suggestions for misspelt commands.
#include "command_line/usage.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// The command that the words name: `fit step` of `fit step FILE`.
/// @param named  number of words that name it
const CLI::App* innermost_command(const CLI::App& program, std::span<const char* const> words, int& named) {
  const CLI::App* command = words.empty() ? nullptr : find_command(program, words[0]);
  for (named = command == nullptr ? 0 : 1; command != nullptr && std::cmp_less(named, words.size());
       ++named) {
    const CLI::App* part = find_command(*command, words[static_cast<std::size_t>(named)]);
    if (part == nullptr) break;
    command = part;
  }
  return command;
}

/// An option of other programs, and ours.
struct OptionOfOthers {
  std::string_view name;
  std::string_view ours;  ///< as it is written, with a value where that is part of it
};

constexpr auto options_of_others = std::to_array<OptionOfOthers>({
    {"--output", "--out"},       {"--output-dir", "--out"},  {"-o", "--out"},
    {"--json", "--format json"}, {"--csv", "--format csv"},  {"--markdown", "--format markdown"},
    {"--verbose", "--details"},  {"-v", "--details"},        {"--silent", "--quiet"},
    {"-q", "--quiet"},           {"--override", "--set"},    {"--param", "--set"},
    {"--nproc", "--threads"},    {"-j", "--threads"},        {"--jobs", "--threads"},
    {"--random-seed", "--seed"}, {"--num-seeds", "--seeds"}, {"--world-size", "--ranks"},
    {"--grid", "--axis"},
});

/// Whether the command has the option, and takes the value that is written with it.
bool takes(const CLI::App& command, std::string_view written) {
  const std::size_t space = written.find(' ');
  const CLI::Option* option = command.get_option_no_throw(std::string(written.substr(0, space)));
  if (option == nullptr || space == std::string_view::npos) return option != nullptr;
  const std::string text = option->get_description();
  return text.find(written.substr(space + 1)) != std::string::npos;
}

/// The option of ours for one of other programs; empty where the command has none.
std::string_view meant_option(const CLI::App& command, std::string_view word) {
  for (const OptionOfOthers& row : options_of_others)
    if (row.name == word && takes(command, row.ours)) return row.ours;
  return "";
}

/// "did you mean `--set`?" for an option that the command does not have.
std::string near_option(const CLI::App& command, std::span<const char* const> words) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back("--" + option->get_single_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const char* const argument : words) {
    const std::string_view word = std::string_view(argument).substr(0, std::string_view(argument).find('='));
    if (!word.starts_with("-") || std::ranges::find(known, word) != known.end()) continue;
    if (const std::string_view meant = meant_option(command, word); !meant.empty())
      return "write `" + std::string(meant) + "`;";
    if (word.starts_with("--")) return netmodels::suggestion(word, known);
  }
  return "";
}

}  // namespace

int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, int exit_usage) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const std::span<const char* const> words(argv + std::min(argc, 1), argv + argc);
  int named = 0;
  const CLI::App* command = innermost_command(program, words, named);
  std::string guess = argc > 1 && command == nullptr ? near_command(program, argv[1]) : "";
  if (command != nullptr) guess = near_option(*command, words.subspan(static_cast<std::size_t>(named)));
  std::string shown = program.get_name();
  for (const char* const word : words.first(static_cast<std::size_t>(named)))
    shown += std::string(" ") + word;
  errors << program.get_name() << ": " << netmodels::Error{{}, error.what(), {}}.text() << "\n"
         << (guess.empty() ? "" : guess + " ") << "`" << shown << " --help` shows the accepted options\n";
  return exit_usage;
}

}  // namespace command_line
