// Ctrl-C and SIGTERM, turned into a flag that is looked at between steps.
#pragma once

#include <atomic>
#include <optional>

namespace command_line {

/// From now on the first SIGINT or SIGTERM raises the flag instead of ending the program; a second one ends
/// it at once, and half-written files stay.
const std::atomic<bool>& catch_interruptions();

/// The exit code of an interrupted program (128 + signal), or nothing.
std::optional<int> interrupted();

/// A file that would grow beyond the user's limit (`ulimit -f`) is an error of that write; the system's own
/// answer, a signal, would end the program without a word.
void survive_file_limits();

}  // namespace command_line
