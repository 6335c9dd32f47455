// Adding `completion`, `man` and `help`.
#include "command_line/self_description.hpp"

#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "command_line/known_words.hpp"
#include "netmodels/nearest.hpp"

namespace command_line {
namespace {

std::string completion(const std::string& shell, const DescribedCommand& program) {
  if (shell == "bash") return bash_completion(program);
  return shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

/// The commands that words name, one inside the other; the last one is printed.
const CLI::App& named_command(const CLI::App& program, const std::vector<std::string>& words,
                              std::string& before) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    before += (before.empty() ? "" : " ") + command->get_name();
    const auto inner = command->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (inner.empty()) {
      const auto all = command->get_subcommands([](const CLI::App*) { return true; });
      std::vector<std::string> names;
      for (const CLI::App* one : all) names.push_back(one->get_name());
      const std::vector<std::string_view> known(names.begin(), names.end());
      throw CLI::ValidationError(
          "COMMAND", fmt::format("unknown command `{}`; {}", word, netmodels::accepted_names(word, known)));
    }
    command = inner.front();
  }
  return *command;
}

void add_help(CLI::App& program, std::ostream& output) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* help = program.add_subcommand("help", "prints what a command does, and its options");
  help->add_option("COMMAND", *words, "a command, and one inside it; without one, the program")
      ->type_name("");
  help->footer(fmt::format("Example:\n  {} help man", program.get_name()));
  help->callback([words, &program, &output] {
    std::string before;
    const CLI::App& command = named_command(program, *words, before);
    output << command.get_formatter()->make_help(
        &command, before.empty() ? command.get_name() : before + " " + command.get_name(),
        CLI::AppFormatMode::Normal);
  });
}

}  // namespace

void add_self_description(CLI::App& program, const std::string& version, std::ostream& output) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* complete = program.add_subcommand("completion", "prints a completion script for a shell");
  complete->add_option("SHELL", *shell, "name of the shell")
      ->required()
      ->type_name("")
      ->check(known_words({"bash", "zsh", "fish"}));
  complete->footer(
      fmt::format("Examples:\n  source <({0} completion bash)        # in ~/.bashrc\n"
                  "  {0} completion zsh > ~/.zfunc/_{0}     # a folder on $fpath\n"
                  "  {0} completion fish > ~/.config/fish/completions/{0}.fish",
                  program.get_name()));
  complete->callback([shell, &program, &output] { output << completion(*shell, describe(program)); });
  CLI::App* manual = program.add_subcommand("man", "prints the manual page: all commands with their options");
  manual->footer(fmt::format("Example:\n  {0} man > {0}.1; man -l {0}.1", program.get_name()));
  manual->callback([version, &program, &output] { output << man_page(describe(program), version); });
  add_help(program, output);
}

}  // namespace command_line
