// Completion for fish: one line for each command and option.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe + "'";
}

std::string seen(const std::string& name) { return "__fish_seen_subcommand_from " + name; }

/// Positions in the line where a command's own words may appear.
std::string condition(const DescribedCommand& command, const std::string& above) {
  std::string found = above;
  if (command.commands.empty()) return found;
  std::vector<std::string> names;
  for (const DescribedCommand& below : command.commands) names.push_back(below.name);
  return found + (found.empty() ? "" : "; and ") + "not " + seen(fmt::format("{}", fmt::join(names, " ")));
}

void add(const DescribedCommand& command, const std::string& program, const std::string& above,
         std::string& script) {
  const std::string here = condition(command, above);
  const std::string line = fmt::format("complete -c {} -n {}", program, quoted(here));
  for (const DescribedCommand& below : command.commands)
    script += fmt::format("{} -f -a {} -d {}\n", line, below.name, quoted(below.text));
  for (const Described& option : command.options) {
    std::string names;
    for (const std::string& name : option.names)
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    std::string value;
    if (option.takes_value)
      value = option.choices.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    script += fmt::format("{}{}{} -d {}\n", line, names, value, quoted(option.text));
  }
  for (const Described& positional : command.positionals)
    if (!positional.choices.empty())
      script += fmt::format("{} -f -a '{}' -d {}\n", line, fmt::join(positional.choices, " "),
                            quoted(positional.text));
  for (const DescribedCommand& below : command.commands)
    add(below, program, above + (above.empty() ? "" : "; and ") + seen(below.name), script);
}

}  // namespace

std::string fish_completion(const DescribedCommand& program) {
  std::string lines;
  add(program, program.name, "", lines);
  return fmt::format("# fish completion of {0}: {0} completion fish | source\n{1}", program.name, lines);
}

}  // namespace command_line
