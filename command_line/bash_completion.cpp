// Completion for bash: finds the command being typed, then the words that may follow.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command_line/self_description.hpp"

namespace command_line {
namespace {

/// The three `case` tables of the script.
struct Cases {
  std::string commands;  ///< words of the command below, from a command and the next word
  std::string values;    ///< the values of an option
  std::string words;     ///< the words of a command
};

void add(const DescribedCommand& command, const std::string& path, Cases& cases) {
  std::vector<std::string> words;
  for (const DescribedCommand& below : command.commands) {
    words.push_back(below.name);
    cases.commands += fmt::format("      '{0} {1}') path='{0}/{1}' ;;\n", path, below.name);
    add(below, path + "/" + below.name, cases);
  }
  for (const Described& option : command.options) {
    words.push_back(option.names.back());
    if (!option.takes_value) continue;
    for (const std::string& name : option.names)
      cases.values += fmt::format("    '{} {}') kind=value; accepted='{}' ;;\n", path, name,
                                  fmt::join(option.choices, " "));
  }
  std::vector<std::string> first;
  for (const Described& positional : command.positionals)
    first.insert(first.end(), positional.choices.begin(), positional.choices.end());
  cases.words += fmt::format("    '{}') words='{}'; names='{}' ;;\n", path, fmt::join(words, " "),
                             fmt::join(first, " "));
}

}  // namespace

std::string bash_completion(const DescribedCommand& program) {
  Cases cases;
  add(program, program.name, cases);
  return fmt::format(
      R"(# bash completion of {0}: source <({0} completion bash)
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path='{0}' kind=word accepted='' words='' names='' index
  for ((index = 1; index < COMP_CWORD; ++index)); do
    case "$path ${{COMP_WORDS[index]}}" in
{1}    esac
  done
  case "$path $previous" in
{2}  esac
  case "$path" in
{3}  esac
  COMPREPLY=()
  if [[ $kind == value && -n $accepted ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$accepted" -- "$word")
  elif [[ $kind == word && ($word == -* || $words != -*) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $kind == word && -n $names ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _{0} {0}
)",
      program.name, cases.commands, cases.values, cases.words);
}

}  // namespace command_line
