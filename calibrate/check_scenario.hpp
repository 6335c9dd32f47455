// Whether the program `sim` accepts a scenario that an import is about to write.
#pragma once

#include <filesystem>
#include <string>

#include "netmodels/result.hpp"

namespace calibrate {

/// Runs `sim check` on the text, from a file beside the place where it is to be written, which is removed.
/// @param simulator  the program
/// @param output     `-` for standard output: beside files of the working folder
/// @returns an Error with what `sim check` says. A scenario that cannot be checked is accepted: `output` is a
///          device, or the program does not start.
netmodels::Result<void> check_scenario(const std::string& simulator, const std::string& text,
                                       const std::string& output);

/// The program `sim` beside this one; empty where there is none.
std::string simulator_beside();

}  // namespace calibrate
