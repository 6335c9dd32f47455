// Launchers' variables.
#include "calibrate/probes/job_rank.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace calibrate::probes {
namespace {

using netmodels::refuse;
using netmodels::Result;

/// The variables of one launcher; one without a name is not set by it.
struct Launcher {
  const char* name;
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* local_ranks;
  std::array<const char*, 3> job;  ///< together they identify this job
};

constexpr std::array launchers{
    Launcher{"torchrun",
             "RANK",
             "WORLD_SIZE",
             "LOCAL_RANK",
             "LOCAL_WORLD_SIZE",
             {"TORCHELASTIC_RUN_ID", "MASTER_ADDR", "MASTER_PORT"}},
    Launcher{"mpirun",
             "OMPI_COMM_WORLD_RANK",
             "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK",
             "OMPI_COMM_WORLD_LOCAL_SIZE",
             {"PMIX_NAMESPACE"}},
    Launcher{"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", {}},
    Launcher{
        "srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr, {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

constexpr long long most_ranks = 1'000'000;

Result<int> read_count(const Variable& variable, const char* name, long long least, long long most) {
  const char* text = variable(name);
  const auto number = text == nullptr ? std::nullopt : files::read_integer(text);
  if (number && *number >= least && *number <= most) return static_cast<int>(*number);
  return refuse(name, text == nullptr ? "it is not set" : fmt::format("`{}`", text),
                fmt::format("accepted: {} to {}; start all ranks by one launcher", least, most));
}

/// Values of the job's variables that are set, joined, in characters that a line and a file may hold.
std::string name_of_job(const Launcher& launcher, const Variable& variable) {
  constexpr std::size_t most_characters = 100;
  std::string name;
  for (const char* part : launcher.job) {
    const char* text = part == nullptr ? nullptr : variable(part);
    if (text != nullptr) name += fmt::format("{}{}", name.empty() ? "" : "-", text);
  }
  const auto is_other = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 &&
           std::string_view("._-").find(c) == std::string_view::npos;
  };
  std::ranges::replace_if(name, is_other, '_');
  return name.substr(0, most_characters);
}

Result<JobRank> read_of(const Launcher& launcher, const Variable& variable) {
  JobRank job;
  job.launcher = launcher.name;
  job.job = name_of_job(launcher, variable);
  GRADSIM_TRY(ranks, read_count(variable, launcher.ranks, 1, most_ranks));
  GRADSIM_TRY(rank, read_count(variable, launcher.rank, 0, *ranks - 1));
  GRADSIM_TRY(local_rank, read_count(variable, launcher.local_rank, 0, *ranks - 1));
  job.ranks = *ranks;
  job.rank = *rank;
  job.local_rank = *local_rank;
  if (launcher.local_ranks == nullptr || variable(launcher.local_ranks) == nullptr) return job;
  GRADSIM_TRY(local_ranks, read_count(variable, launcher.local_ranks, *local_rank + 1, *ranks));
  job.local_ranks = *local_ranks;
  return job;
}

}  // namespace

Result<std::optional<JobRank>> read_job_rank(const Variable& variable) {
  for (const Launcher& launcher : launchers) {
    if (variable(launcher.rank) == nullptr || variable(launcher.ranks) == nullptr) continue;
    GRADSIM_TRY(job, read_of(launcher, variable));
    return std::optional(*job);
  }
  return std::optional<JobRank>{};
}

}  // namespace calibrate::probes
