// The folder of shipped scenarios, and the scenario files that a command line names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace sim {

// The folder of shipped scenarios, workloads, clusters and devices.

/// The folder `scenarios`: next to an installed program, or else in the source tree it was built from.
std::filesystem::path data_folder();

// The scenario files that a command line names, folders among them.

/// The file as named; where it is not there, the shipped scenario of this name, with or without the
/// `scenarios/` before it and with or without `.yaml`, as far as there is one: so that messages about
/// `scenarios/quickstart.yaml` are true in any folder.
std::string named_scenario(const std::string& name);

/// Files as named; for a folder the `*.yaml` and `*.yml` in it, by name, without those of folders below.
/// @returns an Error at the folder where it holds none
netmodels::Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& names);

}  // namespace sim
