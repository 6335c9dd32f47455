// Suggestions for misspelt commands.
#include "command_line/usage.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
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

/// A word of the command line without its value: `--set` of `--set=a`.
std::string_view name_of(std::string_view word) { return word.substr(0, word.find('=')); }

/// The value that follows an option, in its word or in the next one; empty where there is none.
std::string_view value_after(std::span<const char* const> words, std::size_t option) {
  const std::string_view word = words[option];
  if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
    return word.substr(equals + 1);
  const bool has_next = option + 1 < words.size() && words[option + 1][0] != '-';
  return has_next ? std::string_view(words[option + 1]) : std::string_view{};
}

/// "did you mean `--set`?" for an option that the command does not have.
std::string near_option(const CLI::App& command, std::span<const char* const> words,
                        SettingOfOption setting_of) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back("--" + option->get_single_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const bool has_settings = setting_of != nullptr && std::ranges::find(known, "--set") != known.end();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = name_of(words[i]);
    if (!word.starts_with("-") || std::ranges::find(known, word) != known.end()) continue;
    if (const std::string_view meant = meant_option(command, word); !meant.empty())
      return "write `" + std::string(meant) + "`;";
    if (!word.starts_with("--")) continue;
    const std::string setting = has_settings ? setting_of(word.substr(2), value_after(words, i)) : "";
    return setting.empty() ? netmodels::suggestion(word, known) : "write " + setting + ";";
  }
  return "";
}

/// "did you mean `kineto`?" for a word where a command is expected; for a file, where `run` takes it.
std::string near_subcommand(const CLI::App& program, std::string_view word) {
  const bool is_file = word.ends_with(".yaml") || word.ends_with(".yml");
  if (is_file && find_command(program, "run") != nullptr)
    return "write `" + program.get_name() + " run " + std::string(word) + "`;";
  return near_command(program, word);
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size();
}

template <class... Quantity>
bool is_any_of(std::string_view text) {
  return (netmodels::parse<Quantity>(text).has_value() || ...);
}

bool is_quantity(std::string_view text) {
  return is_any_of<netmodels::Seconds, netmodels::Bytes, netmodels::Bandwidth, netmodels::Flops,
                   netmodels::FlopRate, netmodels::Dollars, netmodels::DollarRate>(text);
}

/// A number and its unit as two words where one is expected: `--link 10 Gbit/s`.
std::string split_quantity(std::span<const char* const> words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string_view number = words[i];
    const std::string quantity = std::string(number) + " " + words[i + 1];
    if (is_number(number) && is_quantity(quantity))
      return "write `" + std::string(words[i - 1]) + " '" + quantity + "'` in quotes";
  }
  return "";
}

}  // namespace

bool refuse_split_quantity(const CLI::App& program, int argc, const char* const* argv, std::ostream& errors) {
  const std::string written = split_quantity({argv, argv + argc});
  if (written.empty()) return false;
  errors << program.get_name() << ": a number and its unit are two words; " << written << "\n";
  return true;
}

int answer_usage(const CLI::App& program, const CLI::ParseError& error, int argc, const char* const* argv,
                 std::ostream& errors, const UsageAnswer& answer) {
  if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
  const std::span<const char* const> words(argv + std::min(argc, 1), argv + argc);
  int named = 0;
  const CLI::App* command = innermost_command(program, words, named);
  const std::span<const char* const> rest = words.subspan(static_cast<std::size_t>(named));
  const CLI::App& asked = command == nullptr ? program : *command;
  const bool needs_command = !asked.get_subcommands([](const CLI::App*) { return true; }).empty();
  std::string guess;
  if (needs_command && !rest.empty()) guess = near_subcommand(asked, rest.front());
  if (guess.empty() && command != nullptr) guess = near_option(*command, rest, answer.setting_of);
  std::string shown = program.get_name();
  for (const char* const word : words.first(static_cast<std::size_t>(named)))
    shown += std::string(" ") + word;
  errors << program.get_name() << ": " << netmodels::Error{{}, error.what(), {}}.text() << "\n"
         << (guess.empty() ? "" : guess + " ") << "`" << shown << " --help` shows the accepted options\n";
  return answer.exit_code;
}

}  // namespace command_line
