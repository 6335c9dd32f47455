// A played ledger as JSON.
#pragma once

#include <string>

#include "calibrate/ledger/verdict.hpp"

namespace calibrate::ledger {

/// One object: `schema_version`, `entries` (each with its errors in %, its band and its figures), `skipped`
/// and `overall`.
std::string print_json(const Outcome& outcome);

}  // namespace calibrate::ledger
