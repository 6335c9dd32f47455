// Adding `completion` and `man`.
#include "command_line/self_description.hpp"

#include <memory>
#include <ostream>

#include <fmt/format.h>

namespace command_line {
namespace {

std::string completion(const std::string& shell, const DescribedCommand& program) {
  if (shell == "bash") return bash_completion(program);
  return shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

}  // namespace

void add_self_description(CLI::App& program, const std::string& version, std::ostream& output) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* complete = program.add_subcommand("completion", "prints a completion script for a shell");
  complete->add_option("SHELL", *shell, "name of the shell")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  complete->footer(
      fmt::format("Examples:\n  source <({0} completion bash)        # in ~/.bashrc\n"
                  "  {0} completion zsh > ~/.zfunc/_{0}     # a folder on $fpath\n"
                  "  {0} completion fish > ~/.config/fish/completions/{0}.fish",
                  program.get_name()));
  complete->callback([shell, &program, &output] { output << completion(*shell, describe(program)); });
  CLI::App* manual = program.add_subcommand("man", "prints the manual page: all commands with their options");
  manual->footer(fmt::format("Example:\n  {0} man > {0}.1; man -l {0}.1", program.get_name()));
  manual->callback([version, &program, &output] { output << man_page(describe(program), version); });
}

}  // namespace command_line
