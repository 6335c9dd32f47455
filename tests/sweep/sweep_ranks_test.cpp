// Ranks of a launcher, and waiting for the files of the others.
#include "sim/sweep/sweep_ranks.hpp"

#include <chrono>
#include <map>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/files/lock_holder.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/sweep/swept.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

using Variables = std::map<std::string, std::string>;

netmodels::Result<std::optional<LaunchedRank>> launched_with(const Variables& variables) {
  return launched_rank([&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchedRank, IsReadFromTheVariablesOfEachLauncher) {
  EXPECT_EQ(*launched_with({{"OMPI_COMM_WORLD_RANK", "2"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"PMIX_NAMESPACE", "77"},
                            {"SLURM_PROCID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "8"}}),
            (LaunchedRank{2, 4, "77"}));
  EXPECT_EQ(*launched_with({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), (LaunchedRank{3, 4, ""}));
  EXPECT_EQ(*launched_with({{"SLURM_PROCID", "7"},
                            {"SLURM_STEP_NUM_TASKS", "8"},
                            {"SLURM_JOB_ID", "12"},
                            {"SLURM_STEP_ID", "1"}}),
            (LaunchedRank{7, 8, "12.1"}));
}

TEST(LaunchedRank, OneProcessIsNoRank) {
  EXPECT_EQ(*launched_with({}), std::nullopt);
  EXPECT_EQ(*launched_with({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}), std::nullopt);
  // A batch script of a job with eight tasks is one process.
  EXPECT_EQ(*launched_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), std::nullopt);
}

TEST(LaunchedRank, ARankThatIsNotBelowTheNumberOfRanksIsRefused) {
  EXPECT_EQ(launched_with({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}).error().text(),
            "PMI_RANK: `4`; accepted: 0 to 3, as PMI_SIZE says; or name a part by --part");
  EXPECT_EQ(
      launched_with({{"OMPI_COMM_WORLD_SIZE", "2"}}).error().text(),
      "OMPI_COMM_WORLD_RANK: it is not set; accepted: 0 to 1, as OMPI_COMM_WORLD_SIZE says; or name a part "
      "by --part");
}

/// A file of a part whose end is noted by this launch.
fs::path ended_part(const fs::path& file, const std::string& launch) {
  SweepIdentity identity = swept_axes();
  identity.part = {1, 2};
  (*SweepStore::open(file, identity, false)).note_end(launch);
  return file;
}

TEST(PartWait, EndsWithTheEndOfThisLaunchesParts) {
  const tests::ScratchFolder scratch;
  const auto here = ended_part(scratch / "here.db", "12.1");
  const auto old = ended_part(scratch / "old.db", "11.1");
  EXPECT_THAT(wait_for_parts({{here}, "12.1", netmodels::Seconds{60}}), ElementsAre());
  EXPECT_THAT(wait_for_parts({{here, old}, "12.1", netmodels::Seconds{0.3}}), ElementsAre(old));
}

TEST(PartWait, OpeningAPartForWritingForgetsItsEnd) {
  const tests::ScratchFolder scratch;
  const auto file = ended_part(scratch / "s.db", "1");
  EXPECT_EQ(SweepStore::open(file)->noted_end(), "1");
  SweepIdentity identity = swept_axes();
  identity.part = {1, 2};
  (void)*SweepStore::open(file, identity, true);
  EXPECT_EQ(SweepStore::open(file)->noted_end(), std::nullopt);
}

TEST(PartWait, APartThatNeverBeginsIsLost) {
  const tests::ScratchFolder scratch;
  EXPECT_THAT(wait_for_parts({{scratch / "none.db"}, "", netmodels::Seconds{0.3}}),
              ElementsAre(scratch / "none.db"));
}

TEST(PartWait, APartThatAProcessHoldsIsWaitedFor) {
  const tests::ScratchFolder scratch;
  const auto file = ended_part(scratch / "s.db", "1");
  tests::LockHolder holder(file);
  const pid_t ender = fork();
  if (ender == 0) {
    usleep(600'000);
    kill(static_cast<pid_t>(std::stol(holder.name())), SIGKILL);
    fs::remove(file.string() + ".lock");
    _exit(0);
  }
  EXPECT_THAT(wait_for_parts({{file}, "1", netmodels::Seconds{0.3}}), ElementsAre());
  waitpid(ender, nullptr, 0);
}

TEST(PartWait, IsStopped) {
  const tests::ScratchFolder scratch;
  const std::atomic<bool> stop = true;
  EXPECT_THAT(wait_for_parts({{scratch / "none.db"}, "", netmodels::Seconds{600}, &stop}),
              ElementsAre(scratch / "none.db"));
}

}  // namespace
}  // namespace sim::sweep
