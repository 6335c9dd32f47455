// The scenario files that a command line names, folders among them.
#pragma once

#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim {

/// The file as named; where it is not there, the shipped scenario of this name, with or without the
/// `scenarios/` before it, as far as there is one: so that what is told of `scenarios/quickstart.yaml` is
/// true in any folder.
std::string named_scenario(const std::string& name);

/// Files as named; for a folder the `*.yaml` and `*.yml` in it, by name, without those of folders below.
/// @returns an Error at the folder where it holds none
netmodels::Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& names);

}  // namespace sim
