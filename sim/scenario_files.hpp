// The scenario files that a command line names, folders among them.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim {

/// Files as named; for a folder the `*.yaml` and `*.yml` in it, by name, without those of folders below.
/// @returns an Error at the folder where it holds none
netmodels::Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& names);

}  // namespace sim
