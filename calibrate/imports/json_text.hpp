// Reads JSON that other programs wrote.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "netmodels/result.hpp"

namespace calibrate::imports {

/// @param source  named in errors
/// @returns the value; an Error beyond the limits of JSON (files/json_limits.hpp), for a number that is too
///          large, and, with its place, for what is not JSON
netmodels::Result<nlohmann::json> parse_json(std::string_view text, const std::string& source);

}  // namespace calibrate::imports
