// SimGrid platform files (XML): tried in a child process first, because SimGrid ends the process on a bad one.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::engine {

/// Loads `path` in a child process and reports what SimGrid says there.
/// @returns nothing to say, or an Error that carries SimGrid's own message; files with profiles of their own
///          (bandwidth_file, latency_file, state_file, <trace>) are refused, since changes belong to the scenario
netmodels::Result<bool> try_platform_file(const std::string& path);

}  // namespace sim::engine
