// `calibrate probe mpi`: the exchanges of gradients over the MPI that started this process, as measurements.
#pragma once

#include <optional>
#include <ostream>
#include <string>

namespace calibrate {

/// What was said on the command line.
struct ProbeMpiOptions {
  std::string collectives = "all";
  std::string sizes = "4KiB..4MiB";
  int repetitions = 20;
  double ratio = 0.01;              ///< c, kept / original
  std::string most_time = "2 min";  ///< of the whole probe
  std::string output{};             ///< a folder; made where it is missing
  std::optional<std::string> algorithm{};
  std::optional<std::string> network{};
  bool quiet = false;
  std::string version{};  ///< of the program, for the provenance
};

/// Measures on all ranks; rank 0 writes a measurements file per exchange, NAME.csv, and samples.csv. Nothing
/// is written where the probe refuses or fails.
/// @param log  refusals, progress and what was skipped, on rank 0 alone
/// @returns the exit code; where a result is wrong or a file cannot be written, that of a broken system
int run_probe_mpi(const ProbeMpiOptions& options, std::ostream& log);

}  // namespace calibrate
