// Gradient exchanges that compress in line, on a stub of NCCL and the emulated device: what every rank has in
// the end is the sum that the CPU references make, and nothing waits for the device in between.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "calibrate/probes/nccl_plan.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

class CompressedOnAStub : public testing::Test {
 protected:
  CompressedOnAStub() {
    setenv("STUB_NCCL_FOLDER", scratch_.path().c_str(), 1);
    plan_.library = GRADSIM_STUB_NCCL;
    plan_.sizes = {netmodels::Bytes{4}, netmodels::Bytes{12000}};
    plan_.ratio = 0.05;
    plan_.ranks = 3;
    plan_.warm_up = 2;
    plan_.calls = 1;
    plan_.repetitions = 2;
    plan_.meeting = {(scratch_ / "id").string(), "", 0};
  }

  /// One process per rank, since one thread at a time may use the emulated device.
  /// @returns what went wrong on the ranks, empty where nothing did
  std::string failures_on_all() {
    std::vector<pid_t> processes;
    for (int rank = 0; rank < plan_.ranks; ++rank) {
      processes.push_back(fork());
      if (processes.back() == 0) _exit(failed_on(rank) ? 1 : 0);
    }
    std::string failed;
    for (const pid_t process : processes) {
      int status = 0;
      waitpid(process, &status, 0);
      if (status != 0) failed += std::to_string(status) + " ";
    }
    return failed;
  }

  tests::ScratchFolder scratch_;
  NcclPlan plan_;

 private:
  bool failed_on(int rank) {
    plan_.job = JobRank{"srun", rank, plan_.ranks, 0, 1};
    const auto measured = probe_nccl(plan_, {});
    if (!measured) {
      fprintf(stderr, "rank %d: %s\n", rank, measured.error().text().c_str());
      return true;
    }
    for (const std::string& failure : measured->failures)
      fprintf(stderr, "rank %d: %s\n", rank, failure.c_str());
    if (!measured->failures.empty() || measured->exchanges.size() != plan_.operations.size()) return true;
    for (const auto& exchange : measured->exchanges)
      if (exchange.samples.size() != plan_.sizes.size()) return true;
    return false;
  }
};

TEST_F(CompressedOnAStub, EveryRankHasTheSumThatTheReferencesMake) {
  plan_.operations = {"topk_all_gather", "ar_topk"};
  EXPECT_EQ(failures_on_all(), "");
}

TEST_F(CompressedOnAStub, PartsThatSendNothingHaveTheirOwnResults) {
  plan_.operations = {"topk_all_gather_local", "ar_topk_select", "ar_topk_apply"};
  EXPECT_EQ(failures_on_all(), "");
}

TEST_F(CompressedOnAStub, AllIsSentWhereTheRatioIsOne) {
  plan_.operations = {"topk_all_gather", "ar_topk"};
  plan_.ratio = 1;
  EXPECT_EQ(failures_on_all(), "");
}

TEST_F(CompressedOnAStub, AWrongSumIsFound) {
  plan_.operations = {"topk_all_gather"};
  setenv("STUB_NCCL_WRONG", "ncclAllGather", 1);
  EXPECT_NE(failures_on_all(), "");
  unsetenv("STUB_NCCL_WRONG");
}

}  // namespace
}  // namespace calibrate::probes
