// One rank per process: which one this is, by the variables of its launcher, and how all get one text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::probes {

/// This process among those that a launcher has started.
struct JobRank {
  std::string launcher;  ///< torchrun, mpirun or srun
  int rank = 0;          ///< in [0, ranks)
  int ranks = 1;
  int local_rank = 0;              ///< in [0, local_ranks)
  std::optional<int> local_ranks;  ///< on this node; nothing where the launcher does not say

  bool operator==(const JobRank&) const = default;
};

/// Value of an environment variable; null where it is not set.
using Variable = std::function<const char*(const char* name)>;

/// By the variables of torchrun (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE), of Open MPI's mpirun
/// (OMPI_COMM_WORLD_RANK, ...), of MPICH's (PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS) and of
/// Slurm's srun (SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID), the first that is whole.
/// @returns nothing where no launcher is found, or an Error for a variable that is no number in its range
netmodels::Result<std::optional<JobRank>> read_job_rank(const Variable& variable);

/// Where rank 0 leaves a text that the others need: a file that all see, or `HOST:PORT` of rank 0.
struct MeetingPlace {
  std::string file;  ///< empty: by TCP
  std::string host;
  int port = 0;

  bool operator==(const MeetingPlace&) const = default;
};

/// @param text  `HOST:PORT`, else the path of a file
/// @returns an Error for a port outside 1 to 65535, and for nothing
netmodels::Result<MeetingPlace> read_meeting_place(std::string_view text);

/// Gives every rank the text of rank 0. Texts of several rounds do not mix: a rank waits for that of its own.
/// @param round  counted up by all ranks alike
/// @param text   of rank 0; unused on the others
/// @throws std::runtime_error where they do not all come within the limit
std::string share_text(const MeetingPlace& place, const JobRank& rank, std::uint64_t round,
                       const std::string& text, netmodels::Seconds limit);

}  // namespace calibrate::probes
