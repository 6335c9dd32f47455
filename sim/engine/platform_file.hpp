// SimGrid platform files (XML): tried in a child process first, because SimGrid ends the process on a bad
// one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::engine {

/// Names the hosts that work, in rank order; called when the file has been loaded.
using ChooseHosts = std::function<std::vector<std::string>()>;

/// Loads `path` in a child process, looks up routes between the hosts that work, and reports what SimGrid
/// says there. Up to 256 hosts every pair is looked up, beyond that those of neighbours in rank and those of
/// rank 0.
/// @returns nothing to say, or an Error that carries SimGrid's own message, or names two hosts without a
/// route; files
///          with profiles of their own (bandwidth_file, latency_file, state_file, <trace>) are refused, since
///          changes belong to the scenario
netmodels::Result<void> try_platform_file(const std::string& path, const ChooseHosts& choose_hosts);

}  // namespace sim::engine
