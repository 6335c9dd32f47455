// Measured figures of jobs by cluster size and batch, from a CSV file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "policies/planning_policy.hpp"

namespace sim::scenario {

/// One row; what is empty there was not measured.
struct ProfileRow {
  std::string job;
  policies::Configuration configuration;
  std::optional<double> epochs;
  std::optional<double> noise;  ///< gamma / K
  std::optional<netmodels::Seconds> step;
  std::optional<netmodels::Seconds> sync;
  std::optional<netmodels::Seconds> time;  ///< of the whole training
  std::optional<netmodels::Dollars> cost;
  std::string where;  ///< file:line:column
};

/// @returns every row, or an Error with its position: also for a configuration that stands twice in a job, a
///          figure of 0, a row with neither a step nor a time, a sync that is no part of its step
netmodels::Result<std::vector<ProfileRow>> read_profile_table(const std::filesystem::path& path);

}  // namespace sim::scenario
