// The input of an import besides the log, and its result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/measurements/measurement.hpp"

namespace calibrate::imports {

/// Facts from the caller of the import that the log may lack.
struct LogHints {
  const measurements::Operation* operation = nullptr;  ///< null: as the log says, or as its rows imply
  std::optional<int> ranks;                            ///< nothing: as the log says
  std::optional<int> nodes;                            ///< nothing: as the log says, or unknown
};

/// The measurement and its omissions, one sentence each.
struct Imported {
  measurements::Measurements measured;
  std::vector<std::string> skipped;
};

/// `1 row`, `3 rows`.
std::string counted_rows(int rows);

}  // namespace calibrate::imports
