// The exit codes of the program.
#pragma once

namespace sim {

enum ExitCode : int {
  exit_done = 0,
  exit_refused = 1,  ///< wrong input, or an expectation missed under --strict
  exit_usage = 2,
  exit_broken = 3,  ///< the device or the system failed
};

}  // namespace sim
