// One rank per process: which one this is, by the variables of its launcher.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "netmodels/result.hpp"

namespace calibrate::probes {

/// This process among those that a launcher has started.
struct JobRank {
  std::string launcher;  ///< torchrun, mpirun or srun
  int rank = 0;          ///< in [0, ranks)
  int ranks = 1;
  int local_rank = 0;              ///< in [0, local_ranks)
  std::optional<int> local_ranks;  ///< ranks on this node; nothing where the launcher does not say
  /// Launcher's name of this job: letters, digits and `._-`; empty where it does not say.
  std::string job = {};

  bool operator==(const JobRank&) const = default;
};

/// Value of an environment variable; null where it is not set.
using Variable = std::function<const char*(const char* name)>;

/// Reads the rank from the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE), of Open
/// MPI's mpirun (OMPI_COMM_WORLD_RANK, ...), of MPICH's (PMI_RANK, PMI_SIZE, MPI_LOCALRANKID,
/// MPI_LOCALNRANKS) and of Slurm's srun (SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID), the first that is whole.
/// The job is named by torchrun's run id and master, by PMIX_NAMESPACE, or by Slurm's job and step.
/// @returns nothing where no launcher is found, or an Error for a variable that is no number in its range
netmodels::Result<std::optional<JobRank>> read_job_rank(const Variable& variable);

}  // namespace calibrate::probes
