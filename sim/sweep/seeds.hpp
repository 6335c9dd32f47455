// The same study with other random seeds, each in its own process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/report/simulated_study.hpp"

namespace sim::sweep {

/// Request for seeds of one scenario.
struct SeedRequest {
  std::string file;                         ///< the scenario
  std::vector<std::string> settings;        ///< `KEY=VALUE`, applied to it for every seed
  std::filesystem::path data_dir;           ///< the folder `scenarios`
  std::uint64_t first = 1;                  ///< the lowest seed, which `study` was run with
  std::size_t count = 2;                    ///< number of all seeds with the first, at least 2
  std::size_t jobs = 1;                     ///< processes at a time
  const std::atomic<bool>* stop = nullptr;  ///< ends the runs when true; may be null
};

/// Runs the seeds behind the first, which `study` holds already. This process must run no other thread and
/// hold no cluster. Where the second seed gives the figures of the first in every column, the others are not
/// used: what is random in the study, if anything, does not show.
/// @returns the whole runs of every seed, in order: fewer than asked for where it was stopped, and none where
///          nothing random shows; or an Error of the first seed that failed
netmodels::Result<std::vector<report::SeedResult>> simulate_seeds(const SeedRequest& request,
                                                                  const report::SimulatedStudy& study);

}  // namespace sim::sweep
