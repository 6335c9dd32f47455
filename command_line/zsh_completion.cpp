// Completion for zsh: a function for each command.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

/// Text between single quotes, inside the brackets of _arguments.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\'') {
      safe += "'\\''";
      continue;
    }
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

/// The completions of a value.
std::string action(const Described& option) {
  return option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
}

std::string function_of(const std::string& path) {
  std::string name = "_" + path;
  std::ranges::replace(name, '/', '_');
  return name;
}

void add(const DescribedCommand& command, const std::string& path, std::string& script) {
  for (const DescribedCommand& below : command.commands) add(below, path + "/" + below.name, script);
  script += fmt::format("{}() {{\n", function_of(path));
  if (!command.commands.empty()) script += "  local context state line\n  typeset -A opt_args\n";
  script += "  _arguments -C";
  for (const Described& option : command.options) {
    for (const std::string& name : option.names) {
      const std::string value =
          option.takes_value ? fmt::format(":{}:{}", escaped(option.value), action(option)) : std::string();
      script +=
          fmt::format(" \\\n    '{}{}[{}]{}'", option.repeats ? "*" : "", name, escaped(option.text), value);
    }
  }
  for (const Described& positional : command.positionals)
    script += fmt::format(" \\\n    '{}:{}:{}'", positional.repeats ? "*" : "",
                          escaped(positional.names.front()), action(positional));
  if (!command.commands.empty()) script += " \\\n    '1:command:->command' \\\n    '*::argument:->argument'";
  script += "\n";
  if (!command.commands.empty()) {
    script += "  case $state in\n    command)\n      local -a commands=(\n";
    for (const DescribedCommand& below : command.commands)
      script += fmt::format("        '{}:{}'\n", escaped(below.name), escaped(below.text));
    script += "      )\n      _describe command commands\n      ;;\n    argument)\n      case $line[1] in\n";
    for (const DescribedCommand& below : command.commands)
      script += fmt::format("        {}) {} ;;\n", below.name, function_of(path + "/" + below.name));
    script += "      esac\n      ;;\n  esac\n";
  }
  script += "}\n";
}

}  // namespace

std::string zsh_completion(const DescribedCommand& program) {
  std::string functions;
  add(program, program.name, functions);
  return fmt::format(
      "#compdef {0}\n# zsh completion of {0}: save as _{0} in a folder on $fpath\n{1}"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _{0} \"$@\"\nelse\n  compdef _{0} {0}\nfi\n",
      program.name, functions);
}

}  // namespace command_line
