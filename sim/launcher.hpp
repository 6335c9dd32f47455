// Whether this process was started as one of many, by mpirun or srun.
#pragma once

#include <cstddef>

namespace sim {

/// How many processes the launcher started, as its environment variables say: Open MPI's, PMI's, or Slurm's
/// of a job step; 1 where there is none.
std::size_t launched_processes();

}  // namespace sim
