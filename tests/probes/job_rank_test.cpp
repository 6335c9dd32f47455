// Ranks by the variables of launchers.
#include "calibrate/probes/job_rank.hpp"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace calibrate::probes {
namespace {

std::string rank_of(const std::map<std::string, std::string>& variables) {
  const auto job = read_job_rank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  if (!job) return job.error().text();
  if (!*job) return "none";
  const JobRank& rank = **job;
  return rank.launcher + " " + std::to_string(rank.rank) + "/" + std::to_string(rank.ranks) + " " +
         std::to_string(rank.local_rank) + "/" + (rank.local_ranks ? std::to_string(*rank.local_ranks) : "?");
}

TEST(JobRank, IsReadFromTheVariablesOfEachLauncher) {
  EXPECT_EQ(rank_of({}), "none");
  EXPECT_EQ(rank_of({{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}}),
            "torchrun 5/8 1/4");
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_RANK", "3"},
                     {"OMPI_COMM_WORLD_SIZE", "4"},
                     {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
                     {"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}}),
            "mpirun 3/4 0/1");
  EXPECT_EQ(rank_of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}}), "mpirun 1/2 1/?");
  EXPECT_EQ(rank_of({{"SLURM_PROCID", "7"}, {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "3"}}),
            "srun 7/16 3/?");
}

TEST(JobRank, NamesTheVariableThatIsWrong) {
  EXPECT_EQ(rank_of({{"RANK", "8"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "0"}}),
            "RANK: `8`; accepted: 0 to 7; start all ranks by one launcher");
  EXPECT_EQ(rank_of({{"RANK", "0"}, {"WORLD_SIZE", "two"}, {"LOCAL_RANK", "0"}}),
            "WORLD_SIZE: `two`; accepted: 1 to 1000000; start all ranks by one launcher");
  EXPECT_EQ(rank_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}),
            "LOCAL_RANK: it is not set; accepted: 0 to 1; start all ranks by one launcher");
}

/// The job's name, by variables beside those of rank 0 of 2.
std::string job_of(const std::string& rank, const std::string& ranks, const std::string& local,
                   std::map<std::string, std::string> more) {
  more.insert({{rank, "0"}, {ranks, "2"}, {local, "0"}});
  const auto job = read_job_rank([&](const char* name) {
    const auto found = more.find(name);
    return found == more.end() ? nullptr : found->second.c_str();
  });
  return job && *job ? (*job)->job : "none";
}

TEST(JobRank, NamesTheJobAsItsLauncherDoes) {
  EXPECT_EQ(job_of("RANK", "WORLD_SIZE", "LOCAL_RANK",
                   {{"TORCHELASTIC_RUN_ID", "a b"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}}),
            "a_b-n1-29500");
  EXPECT_EQ(job_of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                   {{"PMIX_NAMESPACE", "prterun-n1-77@1"}}),
            "prterun-n1-77_1");
  EXPECT_EQ(job_of("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
                   {{"SLURM_JOB_ID", "4711"}, {"SLURM_STEP_ID", "0"}}),
            "4711-0");
  EXPECT_EQ(job_of("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", {}), "");
  EXPECT_EQ(
      job_of("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", {{"SLURM_JOB_ID", std::string(300, '7')}}),
      std::string(100, '7'));
}

}  // namespace
}  // namespace calibrate::probes
