// A played ledger as a table for the terminal, as CSV, as JSON and as the page of accuracy.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {

/// A form in which `calibrate validate` prints.
struct Form {
  std::string_view name;  ///< as said behind `--format`
  std::string_view what;  ///< one clause, for help
  std::string (*print)(const Outcome& outcome);
};

/// table: one line per entry, what was skipped, and the overall line. csv: one line per figure behind one
/// header line. json: both. markdown: the page, with what each rule has seen and the errors of each table.
std::span<const Form> forms();

}  // namespace calibrate::ledger
