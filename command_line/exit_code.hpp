// The exit codes of both programs.
#pragma once

namespace command_line {

enum ExitCode : int {
  exit_done = 0,
  exit_refused =
      1,  ///< wrong input, or a figure missed: an expectation under --strict, a band of a fit or ledger
  exit_usage = 2,
  exit_broken = 3,  ///< the device or the system failed
};

}  // namespace command_line
