// Errors on a stream, as text for people or as JSON for programs.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "netmodels/result.hpp"

namespace command_line {

/// A manipulator: from now on `print_error` writes JSON to this stream, a line for each error.
std::ostream& errors_as_json(std::ostream& out);

/// Prints the error and those that came with it: `where: what; hint`, a line each. As JSON: `file`, `line`
/// and `column`, or `option`, also of a member of a request (`params.set`); `key`; `what`; `hint`; `remedy`,
/// a list of `key` and `value`; `text`, the line for people. Members that have no value are left out.
void print_error(std::ostream& out, const netmodels::Error& error);

/// The object of a line that `print_error` wrote as JSON; nothing for other lines.
std::optional<nlohmann::ordered_json> parse_error_line(const std::string& line);

}  // namespace command_line
