// `calibrate validate`: predicted against measured, every entry of a ledger.
#pragma once

#include <ostream>
#include <string>

namespace calibrate {

/// What was said on the command line.
struct ValidateOptions {
  std::string ledger{};
  std::string results{};  ///< folder of the simulator's results; empty: the ledger's
  std::string last{};     ///< earlier page, for entries that are skipped; empty: none
  std::string output = "-";
  std::string format = "table";  ///< of the output
};

/// Plays every entry of the ledger; entries whose files are not there are skipped by name.
/// @param out  standard output, for `-o -`
/// @param log  refusals
/// @returns the exit code: `exit_refused` too where a band is broken
int run_validate(const ValidateOptions& options, std::ostream& out, std::ostream& log);

}  // namespace calibrate
