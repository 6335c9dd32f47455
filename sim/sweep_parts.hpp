// `sim sweep` in parts: one of them, all of them by the ranks of a launcher, and their merging.
#pragma once

#include "netmodels/result.hpp"
#include "sim/progress.hpp"
#include "sim/sweep_options.hpp"

namespace sim {

/// Simulates the part `--part`, into its own file beside that of the sweep.
/// @returns the exit code
netmodels::Result<int> run_part(const SweepOptions& options, Progress& progress);

/// Joins the files `--merge` into `--db`.
/// @returns the exit code
netmodels::Result<int> run_merge(const SweepOptions& options);

/// Simulates all points; where a launcher started several processes, each simulates a part, and rank 0 joins
/// them.
/// @returns the exit code
netmodels::Result<int> run_by_launcher(const SweepOptions& options, Progress& progress);

}  // namespace sim
