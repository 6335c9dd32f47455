// The exit codes of the program.
#pragma once

namespace calibrate {

enum ExitCode : int {
  exit_done = 0,
  exit_refused = 1,  ///< wrong input, a fit outside its band, or a band of a ledger broken
  exit_usage = 2,
  exit_broken = 3,  ///< the device or the system failed
};

}  // namespace calibrate
