// A sweep on the processes that mpirun or srun started: each simulates one part, the first joins them.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace sim::sweep {

/// This process among those that a launcher started.
struct LaunchedRank {
  std::size_t rank = 0;  ///< in [0, ranks)
  std::size_t ranks = 1;
  std::string launch = {};  ///< launcher's name of the job or step; empty where it has none

  bool operator==(const LaunchedRank&) const = default;
};

/// Value of an environment variable; null where it is not set.
using EnvironmentVariable = std::function<const char*(const char* name)>;

/// Reads the rank from the variables of Open MPI's mpirun (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE), of
/// MPICH's (PMI_RANK, PMI_SIZE) and of srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS), the first with several
/// ranks. SLURM_NTASKS is not read: Slurm sets it in a batch script, too, which is one process.
/// @returns nothing for one process, or an Error for a rank that is not below the number of ranks
netmodels::Result<std::optional<LaunchedRank>> launched_rank(const EnvironmentVariable& variable);

/// Files of parts that other processes write.
struct PartWait {
  std::vector<std::filesystem::path> files;
  std::string launch;                       ///< `LaunchedRank::launch`
  netmodels::Seconds patience;              ///< time without any change of a file that no process holds
  const std::atomic<bool>* stop = nullptr;  ///< ends the waiting when true; may be null
};

/// Waits until each file notes the end of its part. A file is opened only once its writer has closed it,
/// since machines cannot share SQLite's log.
/// @returns the files that did not end: nothing has changed there for `patience`, or the waiting was stopped
std::vector<std::filesystem::path> wait_for_parts(const PartWait& wait);

}  // namespace sim::sweep
