// The exit codes of the program.
#pragma once

#include "command_line/exit_code.hpp"

namespace calibrate {

using enum command_line::ExitCode;

}  // namespace calibrate
