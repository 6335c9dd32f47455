// The NCCL probe as a whole, on a stub of NCCL: its ways of placing ranks, and cases that hang or crash.
#include <cstdlib>
#include <fstream>
#include <set>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "calibrate/probes/nccl_plan.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

class NcclOnAStub : public testing::Test {
 protected:
  NcclOnAStub() {
    setenv("STUB_NCCL_FOLDER", scratch_.path().c_str(), 1);
    setenv("STUB_CUDA_DEVICES", "4", 1);
    for (const char* name : {"STUB_NCCL_HANG", "STUB_NCCL_CRASH", "STUB_NCCL_TCP"}) unsetenv(name);
    plan_.library = GRADSIM_STUB_NCCL;
    plan_.operations = {"all_reduce", "all_gather", "broadcast"};
    plan_.sizes = {netmodels::Bytes{4096}, netmodels::Bytes{8192}};
    plan_.calls = 2;
    plan_.repetitions = 3;
  }

  /// "all_reduce 2, ...": operations with how many sizes were measured.
  static std::vector<std::string> held(const NcclMeasured& measured) {
    std::vector<std::string> names;
    for (const auto& exchange : measured.exchanges)
      names.push_back(std::string(exchange.operation->name) + " " + std::to_string(exchange.samples.size()));
    return names;
  }

  tests::ScratchFolder scratch_;
  NcclPlan plan_;
};

TEST_F(NcclOnAStub, VerifiesAndTimesEveryOperation) {
  plan_.operations.clear();  // those that compress are tested on the emulated device
  for (const std::string_view name : nccl_operations())
    if (!compresses_on_device(name)) plan_.operations.emplace_back(name);
  const auto measured = probe_nccl(plan_, {});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(measured->failures, ElementsAre());
  EXPECT_EQ(measured->exchanges.size(), 7U);
  EXPECT_EQ(measured->way, NcclWay::devices);
  EXPECT_EQ(measured->nodes, 1);
  EXPECT_EQ(measured->nccl, "2.28.9");
  EXPECT_EQ(measured->device, "2x stub device");
  for (const auto& exchange : measured->exchanges)
    for (const NcclSample& sample : exchange.samples) EXPECT_EQ(sample.times.size(), 3U);
}

TEST_F(NcclOnAStub, GivesRanksThatShareADeviceACopyOfTheLibraryEach) {
  setenv("STUB_CUDA_DEVICES", "1", 1);
  plan_.ranks = 3;
  const auto measured = probe_nccl(plan_, {});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(measured->failures, ElementsAre());
  EXPECT_EQ(measured->way, NcclWay::private_copies);
  EXPECT_EQ(measured->nodes, 3);
  EXPECT_THAT(held(*measured), ElementsAre("all_reduce 2", "all_gather 2", "broadcast 2"));
}

TEST_F(NcclOnAStub, NamesCasesThatHangAndGoesOn) {
  setenv("STUB_NCCL_HANG", "ncclAllGather", 1);
  plan_.case_limit = {3};
  const auto measured = probe_nccl(plan_, {});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(held(*measured), ElementsAre("all_reduce 2", "broadcast 2"));
  EXPECT_THAT(measured->failures,
              ElementsAre("all_gather of 4 KiB: it did not end within 3 s; its process group was killed",
                          "all_gather of 8 KiB: it did not end within 6 s; its process group was killed"));
}

TEST_F(NcclOnAStub, NamesCasesThatCrashAndGoesOn) {
  setenv("STUB_NCCL_CRASH", "ncclAllGather", 1);
  const auto measured = probe_nccl(plan_, {});
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(held(*measured), ElementsAre("all_reduce 2", "broadcast 2"));
  ASSERT_EQ(measured->failures.size(), 2U);
  EXPECT_THAT(measured->failures.front(), testing::HasSubstr("its process was ended by signal 9"));
}

TEST_F(NcclOnAStub, MakesPrivateCopiesOnceThoughACrashEndsTheirProcess) {
  setenv("STUB_CUDA_DEVICES", "1", 1);
  setenv("STUB_NCCL_CRASH", "ncclAllGather", 1);
  const tests::ScratchFolder temporary;
  setenv("TMPDIR", temporary.path().c_str(), 1);
  std::set<ino_t> files;
  NcclProgress progress;
  progress.said = [&](const std::string&) {
    for (const std::string& name : temporary.files()) {
      struct stat found {};
      if (name.ends_with(".so") && stat((temporary / name).c_str(), &found) == 0) files.insert(found.st_ino);
    }
  };
  const auto measured = probe_nccl(plan_, progress);
  unsetenv("TMPDIR");
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_THAT(held(*measured), ElementsAre("all_reduce 2", "broadcast 2"));
  EXPECT_EQ(files.size(), 1U);  // of the second rank; the first has the original
  EXPECT_THAT(temporary.files(), ElementsAre());
}

TEST_F(NcclOnAStub, SaysWhatIsMissing) {
  setenv("STUB_CUDA_DEVICES", "0", 1);
  const auto without = probe_nccl(plan_, {});
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().text(),
              StartsWith("no CUDA device found: stub; run this on a machine with a GPU"));
  setenv("STUB_CUDA_DEVICES", "4", 1);
  plan_.library = "/nowhere/libnccl.so.2";
  const auto no_library = probe_nccl(plan_, {});
  ASSERT_FALSE(no_library);
  EXPECT_EQ(no_library.error().where, "--library");
}

TEST_F(NcclOnAStub, RefusesToCompressWithoutCudaKernels) {
  plan_.operations = {"all_reduce", "ar_topk"};
  EXPECT_EQ(
      probe_nccl(plan_, {}).error().text(),
      "--operations: `ar_topk` compresses on the device, and this build has no CUDA kernels; build where "
      "nvcc is found, or leave it out");
}

TEST_F(NcclOnAStub, MeasuresOneProcessPerRank) {
  constexpr int ranks = 3;
  std::vector<pid_t> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.push_back(fork());
    if (processes.back() != 0) continue;
    plan_.ranks = ranks;
    plan_.job = JobRank{"srun", rank, ranks, 0, 1};
    plan_.meeting = {(scratch_ / "id").string(), "", 0};
    const auto measured = probe_nccl(plan_, {});
    if (!measured || measured->rank != rank || measured->way != NcclWay::processes ||
        measured->nodes != ranks)
      _exit(1);
    if (!measured->failures.empty() || held(*measured).size() != 3) _exit(2);
    _exit(0);
  }
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  }
}

}  // namespace
}  // namespace calibrate::probes
