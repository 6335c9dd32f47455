// Options of `sim sweep`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario_options.hpp"

namespace sim {

/// As given on the command line.
struct SweepOptions {
  std::string file;
  std::vector<std::string> axes;
  std::string design = "grid";
  std::optional<std::size_t> points;
  std::uint64_t design_seed = 1;
  std::optional<std::size_t> jobs;
  std::string database;
  bool resume = false;
  bool steps = false;
  bool check = false;
  std::optional<std::string> timeout;
  std::string lost_after = "30 s";
  std::string export_format;
  std::optional<std::string> part;  ///< K/N
  std::vector<std::string> merged;  ///< files and folders to join
  bool quiet = false;
  ScenarioOptions scenario;
};

}  // namespace sim
