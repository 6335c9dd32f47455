// The input of an import besides the log, and its result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurements/measurement.hpp"

namespace calibrate::imports {

/// Facts from the caller of the import that the log may lack.
struct LogHints {
  const measurements::Operation* operation = nullptr;  ///< null: from the log or its rows
  std::optional<int> ranks;                            ///< nothing: from the log
  std::optional<int> nodes;                            ///< nothing: from the log, or unknown
};

/// The measurement and its omissions, one sentence each.
struct Imported {
  measurements::Measurements measured;
  std::vector<std::string> skipped;
};

/// `1 row`, `3 rows`.
std::string counted_rows(int rows);

}  // namespace calibrate::imports
