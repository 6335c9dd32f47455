// Reads the part of TOML that configurations of trainings use, as the JSON of the same values.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "netmodels/result.hpp"

namespace calibrate::imports {

/// Tables, arrays of tables, dotted and quoted keys, texts of one line, integers, numbers, booleans, arrays
/// and inline tables, with comments.
/// @param source  named in errors, as `source:line`
/// @returns an object, or an Error for anything else of TOML (dates, texts of several lines), a key that is
/// stated twice, more than 100 arrays and tables inside each other, and a text of more than 1 MB
/// Source: TOML 1.0.0, toml.io.
netmodels::Result<nlohmann::json> read_toml(std::string_view text, const std::string& source);

}  // namespace calibrate::imports
