// One point of a sweep, played.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command_line/table.hpp"
#include "netmodels/result.hpp"

namespace sim::sweep {

/// What playing a point gives.
struct SimulatedPoint {
  std::string scenario;      ///< resolved, as `sim check` prints it
  command_line::Table rows;  ///< one per arm: the columns of a run but `scenario` and `phase`
  std::string steps;         ///< as steps.csv; empty where they are not asked for
};

/// Reads the scenario with these settings and plays all its arms.
/// @param with_steps  whether each step is kept, too
/// @returns an Error with its place where it is refused
netmodels::Result<SimulatedPoint> simulate_point(const std::string& file,
                                                 const std::vector<std::string>& settings,
                                                 const std::filesystem::path& data_dir, bool with_steps);

/// As bytes, for another process.
std::string pack(const SimulatedPoint& point);
SimulatedPoint unpack(const std::string& bytes);

}  // namespace sim::sweep
