// Where the shipped scenarios, workloads, clusters and devices lie.
#pragma once

#include <filesystem>

namespace sim {

/// The folder `scenarios`: beside an installed program, or else in the source tree it was built from.
std::filesystem::path data_folder();

}  // namespace sim
