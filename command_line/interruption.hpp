// Ctrl-C and SIGTERM, turned into a flag that is looked at while the program works.
#pragma once

#include <atomic>
#include <optional>

namespace command_line {

/// How long a program may work on before it looks at the flag.
enum class Grace {
  /// Two seconds of computing, so that a busy machine costs no results, or ten seconds by the clock; then it
  /// ends with a message and the exit code of `interrupted`.
  two_seconds,
  unlimited,  ///< no limit, where the work under way is worth its time: a measurement
};

/// Catches signals: from now on the first SIGINT or SIGTERM raises the flag instead of ending the program; a
/// second one ends it at once, and half-written files stay.
const std::atomic<bool>& catch_interruptions(Grace grace = Grace::two_seconds);

/// The exit code of an interrupted program (128 + signal), or nothing. The grace ends here: a program that
/// asks knows of the signal, and has the time that it needs to write what was finished.
std::optional<int> interrupted();

/// A file that would grow beyond the user's limit (`ulimit -f`) is an error of that write; the system's own
/// answer, a signal, would end the program without a word.
void survive_file_limits();

}  // namespace command_line
