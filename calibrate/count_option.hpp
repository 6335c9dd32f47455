// Options that are counts and may be left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "netmodels/result.hpp"

namespace calibrate {

/// The numbers that a count may be, both ends included.
struct CountRange {
  int least = 1;
  int most = 1'000'000;
};

/// @param option  as on the command line, named in the error
/// @returns nothing where the option was left out, or an Error for a count out of range
inline netmodels::Result<std::optional<int>> read_count(const std::string& option,
                                                        std::optional<std::int64_t> value,
                                                        const CountRange& range) {
  if (!value) return std::optional<int>();
  if (*value >= range.least && *value <= range.most) return std::optional<int>(static_cast<int>(*value));
  return netmodels::refuse(option, fmt::format("`{}` is out of range", *value),
                           fmt::format("accepted: {} to {}", range.least, range.most));
}

}  // namespace calibrate
