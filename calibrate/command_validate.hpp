// `calibrate validate`: predicted against measured, every row of a ledger.
#pragma once

#include <ostream>
#include <string>

namespace calibrate {

/// What was said on the command line.
struct ValidateOptions {
  std::string ledger{};
  std::string output = "-";
  std::string format = "table";  ///< table or csv
};

/// Plays every row of the ledger.
/// @param out  standard output, for `-o -`
/// @param log  refusals
/// @returns the exit code: `exit_refused` too where a bound is missed
int run_validate(const ValidateOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
