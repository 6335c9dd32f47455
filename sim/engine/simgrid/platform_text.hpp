// Platform files as they may reach SimGrid: what describes hosts, links and routes, and nothing else.
#pragma once

#include <string>

#include "netmodels/result.hpp"

namespace sim::engine {

/// Reads a platform file and writes what it says anew, element by element, so that SimGrid's own parser sees
/// nothing that was not accepted here. Lines keep their numbers.
///
/// Accepted are the elements and attributes of simgrid.dtd 4.1 that describe zones, hosts, links and routes.
/// Refused are those that set SimGrid up (`config`: it may name files to overwrite, and other laws of
/// bandwidth), read files (`include`, `trace`, `storage`, profiles), run programs (`actor`), or are not
/// simulated (WIFI); entities of the file's own; text between elements; more than `most_hosts` hosts; zones
/// in more than 64 zones.
/// @returns the text, or an Error at `path`, or at `path:line:column` of what is refused
netmodels::Result<std::string> read_platform(const std::string& path);

/// Hosts that a platform file may have.
inline constexpr double most_hosts = 10000;

}  // namespace sim::engine
