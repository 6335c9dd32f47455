// Parameters of a request as words of a command line.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "netmodels/result.hpp"

namespace sim::serve {

/// Words after the command's name. Members of the parameters:
///
/// - `arguments`: a list of words, such as files and names, as they are;
/// - `input`: text in place of standard input, which the word `-` names, or an object of the same meaning;
/// - `set`: an object of keys of the scenario: `--set KEY=VALUE` for each, in order, VALUE as YAML;
/// - `policies`: an object of policies of the client, which the command may ask for decisions, each with the
///   hash of its source;
/// - `progress`: whether lines of progress come as notifications (`Server`);
/// - any other member `a_b`: the option `--a-b`; true: alone, false and null: left out, a list: once for each
///   of its values.
///
/// @returns an Error at the member that has another type, or at an `input` that no word names
netmodels::Result<std::vector<std::string>> command_words(const nlohmann::ordered_json& params);

/// Whether lines of progress are to come as notifications; not where the member has another type.
bool asks_for_progress(const nlohmann::ordered_json& params);

/// Text of standard input: `input` as it is, an object as YAML; empty without it. Text of an object needs no
/// quotes where YAML needs none, so that `"1 %"` is a share, as in a file.
std::string input_text(const nlohmann::ordered_json& params);

}  // namespace sim::serve
