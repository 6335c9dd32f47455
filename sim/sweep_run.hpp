// One sweep, or one part of it, in this process and its children.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/progress.hpp"
#include "sim/sweep/sweep_part.hpp"
#include "sim/sweep/sweep_store.hpp"
#include "sim/sweep_options.hpp"

namespace sim {

/// The part that `SweepOptions::database` is a file of.
struct PartFile {
  sweep::SweepPart part = {};
  std::optional<std::string> whole =
      std::nullopt;         ///< file of all parts, whose points are not simulated again
  std::string launch = {};  ///< launcher's name of the job, for `SweepStore::note_end`
};

/// Formats that print rows: all that a sweep has.
std::vector<std::string> row_formats();

/// The finished table, to stdout.
void print_points(const sweep::SweepStore& store, const SweepOptions& options);

/// Prints or checks an existing file.
/// @returns the exit code
netmodels::Result<int> print_sweep_file(const SweepOptions& options);

/// Simulates the points that the file lacks.
/// @returns the exit code
netmodels::Result<int> run_sweep(const SweepOptions& options, Progress& progress, const PartFile& part = {});

}  // namespace sim
