// Result or error of a command, from its exit code and from its printed lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/serve/message.hpp"

namespace sim::serve {

/// How a command ended.
struct CommandOutcome {
  int exit_code = 0;
  std::string output;            ///< all of its stdout
  std::vector<std::string> log;  ///< lines of its stderr
};

/// The error to reply with; nothing where the command has an output to show, such as one that has missed an
/// expectation under `--strict`. `data` holds `exit_code`, `errors` (file, line, column, what, hint, remedy),
/// `warnings` and `log`.
std::optional<Failure> failure_of(const CommandOutcome& outcome);

/// The result to reply with: `exit_code`; `documents`, each with its `text`, `rows` and `data`, of a command
/// that prints `--format all`, else its `output`; `errors`, `warnings` and `log`.
nlohmann::ordered_json result_of(const CommandOutcome& outcome);

}  // namespace sim::serve
