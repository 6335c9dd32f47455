// Sorts a command's lines into errors, warnings and the rest.
#include "sim/serve/outcome.hpp"

#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "command_line/error_output.hpp"
#include "command_line/exit_code.hpp"

namespace sim::serve {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view warning_mark = "warning: ";

/// Lines of a command by kind.
struct SortedLog {
  ordered_json errors = ordered_json::array();
  ordered_json warnings = ordered_json::array();
  ordered_json rest = ordered_json::array();
  std::vector<std::string> messages;  ///< texts of errors, else of what is neither error nor warning
};

SortedLog sort_lines(const std::vector<std::string>& lines) {
  SortedLog sorted;
  for (const std::string& line : lines) {
    if (auto error = command_line::parse_error_line(line)) {
      sorted.messages.push_back(error->at("text").get<std::string>());
      sorted.errors.push_back(std::move(*error));
    } else if (line.starts_with(warning_mark)) {
      sorted.warnings.push_back(line.substr(warning_mark.size()));
    } else if (!line.empty()) {
      sorted.rest.push_back(line);
    }
  }
  if (!sorted.errors.empty()) return sorted;
  for (const ordered_json& line : sorted.rest) sorted.messages.push_back(line.get<std::string>());
  return sorted;
}

ErrorCode code_of(int exit_code) {
  if (exit_code == command_line::exit_usage) return ErrorCode::wrong_params;
  return exit_code == command_line::exit_refused ? ErrorCode::refused : ErrorCode::failed;
}

/// Members that results and errors have in common.
void put_log(ordered_json& object, int exit_code, SortedLog sorted) {
  object["exit_code"] = exit_code;
  object["errors"] = std::move(sorted.errors);
  object["warnings"] = std::move(sorted.warnings);
  object["log"] = std::move(sorted.rest);
}

}  // namespace

std::optional<Failure> failure_of(const CommandOutcome& outcome) {
  if (outcome.exit_code == command_line::exit_done || !outcome.output.empty()) return std::nullopt;
  SortedLog sorted = sort_lines(outcome.log);
  Failure failure{code_of(outcome.exit_code), fmt::format("{}", fmt::join(sorted.messages, "\n")),
                  ordered_json::object()};
  put_log(failure.data, outcome.exit_code, std::move(sorted));
  return failure;
}

ordered_json result_of(const CommandOutcome& outcome) {
  ordered_json result = ordered_json::object();
  put_log(result, outcome.exit_code, sort_lines(outcome.log));
  ordered_json parsed = ordered_json::parse(outcome.output, nullptr, false);
  if (parsed.is_object() && parsed.contains("documents"))
    result["documents"] = std::move(parsed["documents"]);
  else
    result["output"] = outcome.output;
  return result;
}

}  // namespace sim::serve
