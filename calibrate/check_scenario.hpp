// Whether the program `sim` accepts a scenario that an import is about to write.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/key_sources.hpp"
#include "netmodels/result.hpp"

namespace calibrate {

/// Report of `sim check` on a scenario that it accepts; nothing for one that cannot be checked.
struct CheckedScenario {
  std::vector<std::string> warnings{};  ///< a sentence each, in terms of the import
  std::string resolved{};               ///< the scenario with its defaults
};

/// Runs `sim check` on the text, from a file beside the place where it is to be written, which is removed.
/// @param simulator  the program
/// @param output     `-` for standard output: beside files of the working folder
/// @param sources    what states the keys of the text
/// @returns an Error with what `sim check` says, in terms of the import. A scenario that cannot be checked is
///          accepted: `output` is a device, or the program does not start.
netmodels::Result<CheckedScenario> check_scenario(const std::string& simulator, const std::string& text,
                                                  const std::string& output,
                                                  std::span<const KeySource> sources);

/// The value of a key in a resolved scenario; empty where it is absent.
/// @param path  of two names: `cluster.workers_per_node`
std::string resolved_value(std::string_view resolved, std::string_view path);

/// The program `sim` beside this one; empty where there is none.
std::string simulator_beside();

}  // namespace calibrate
