// Results as JSON for programs.
#pragma once

#include <span>
#include <string>

#include "sim/output/expectations.hpp"
#include "sim/output/played_study.hpp"
#include "sim/output/sheet.hpp"

namespace sim::output {

/// Counted up when a key is removed or changes its meaning; new keys do not count.
constexpr int json_schema_version = 1;

/// One study with its judged expectations.
struct JudgedStudy {
  const PlayedStudy* played;
  const ExpectationReport* expectations;
};

/// One object with schema_version, arms (the columns of the comparison), verdicts, expectations, origins.
/// @returns the text with a newline at its end; numbers in the base units that their keys name
std::string study_json(const JudgedStudy& study);

/// Several files: one object with schema_version and `studies`.
std::string studies_json(std::span<const JudgedStudy> studies);

/// A sheet: one object with schema_version and, under `name`, one object for each row.
std::string sheet_json(const Sheet& sheet, const std::string& name);

/// A sheet of one row: its cells beside schema_version.
std::string row_json(const Sheet& sheet);

}  // namespace sim::output
