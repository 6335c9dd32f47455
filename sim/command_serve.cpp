// `sim serve`: answers requests on standard input until it ends.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "command_line/error_output.hpp"
#include "command_line/interruption.hpp"
#include "command_line/usage.hpp"
#include "sim/exit_code.hpp"
#include "sim/program.hpp"
#include "sim/serve/arguments.hpp"
#include "sim/serve/server.hpp"
#include "sim/served_policies.hpp"

namespace sim {
namespace {

constexpr std::int64_t most_workers = 1024;

/// The commands that a request may name, each with its options.
class ServedCommands {
 public:
  ServedCommands() { add_served_commands(program_, exit_code_); }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const CLI::App* command : commands()) names.push_back(command->get_name());
    return names;
  }

  /// @param words  the command, perhaps with one of its own commands behind it (`fit step`)
  [[nodiscard]] bool has_option(const std::vector<std::string>& words, const std::string& option) const {
    const CLI::App* command = program_.get_subcommand(words.front());
    const auto named = command->get_subcommands(
        [&](const CLI::App* own) { return words.size() > 1 && own->get_name() == words[1]; });
    return (named.empty() ? command : named.front())->get_option_no_throw(option) != nullptr;
  }

 private:
  [[nodiscard]] std::vector<const CLI::App*> commands() const {
    return program_.get_subcommands([](const CLI::App*) { return true; });
  }

  CLI::App program_;
  int exit_code_ = exit_done;
};

/// Runs a command that may ask the client's policies.
int run_with_policies(const std::vector<std::string>& words, const nlohmann::ordered_json& params,
                      const serve::Ask& ask) {
  ServedPolicies asked(params.value("policies", nlohmann::ordered_json::object()), ask);
  const policies::InstalledPolicyHost installed(asked);
  try {
    return run_command_line(words);
  } catch (const policies::PolicyFailure& failure) {
    command_line::print_error(std::cerr, failure.error());
    return exit_refused;
  }
}

/// Runs one request as a command line. All forms are printed where the request states no format.
int run_request(const ServedCommands& commands, const std::string& method,
                const nlohmann::ordered_json& params, const serve::Ask& ask) {
  std::cerr << command_line::errors_as_json;
  const auto stated = serve::command_words(params);
  if (!stated) {
    command_line::print_error(std::cerr, stated.error());
    return exit_usage;
  }
  if (params.contains("policies") && method != "run") {
    command_line::print_error(std::cerr,
                              {"params.policies", "`" + method + "` asks no policies", "call `run`"});
    return exit_usage;
  }
  std::vector<std::string> words{method};
  words.insert(words.end(), stated->begin(), stated->end());
  if (!params.contains("format") && commands.has_option(words, "--format") && method != "schema")
    words.insert(words.end(), {"--format", "all"});
  if (!serve::asks_for_progress(params) && !params.contains("quiet") && commands.has_option(words, "--quiet"))
    words.emplace_back("--quiet");
  return method == "run" ? run_with_policies(words, params, ask) : run_command_line(words);
}

int serve_requests(std::int64_t workers) {
  if (workers < 1 || workers > most_workers) {
    command_line::print_error(std::cerr, {"--workers", "`" + std::to_string(workers) + "` is out of range",
                                          "accepted: 1 to " + std::to_string(most_workers)});
    return exit_refused;
  }
  const auto& stop = command_line::catch_interruptions();
  const ServedCommands commands;
  const serve::ServerSettings settings{
      .run = [&](const std::string& method, const nlohmann::ordered_json& params,
                 const serve::Ask& ask) { return run_request(commands, method, params, ask); },
      .commands = commands.names(),
      .version = GRADSIM_VERSION,
      .workers = static_cast<std::size_t>(workers)};
  serve::Server(settings, STDIN_FILENO, STDOUT_FILENO, stop).run();
  return command_line::interrupted().value_or(exit_done);
}

}  // namespace

void add_serve(CLI::App& program, int& exit_code) {
  CLI::App* command = program.add_subcommand(
      "serve", "answers requests on standard input, a line of JSON each, until it ends (JSON-RPC 2.0)");
  const auto workers = std::make_shared<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  command
      ->add_option("--workers", *workers,
                   "commands at a time, each in a process of its own; default: all cores")
      ->type_name("N");
  command->footer(
      "Methods are the commands of this program; docs/serve.md describes requests and replies.\nExample:\n"
      "  echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"run\", \"params\": {\"arguments\": "
      "[\"scenarios/quickstart.yaml\"]}}' | sim serve");
  command->callback([workers, &exit_code] { exit_code = serve_requests(*workers); });
}

}  // namespace sim
