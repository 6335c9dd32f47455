// Private copies of NCCL in one process, where the library is installed; none of this needs a GPU.
#include <gtest/gtest.h>

#if GRADSIM_HAS_NCCL
#include <filesystem>

#include "calibrate/probes/nccl_ranks.hpp"
#include "tests/scratch_folder.hpp"

namespace calibrate::probes {
namespace {

namespace fs = std::filesystem;

/// Where NCCL lies; empty where it is not installed.
fs::path installed() {
  for (const char* name : {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"}) {
    const auto path = locate_library(name);
    if (path && fs::exists(*path)) return *path;
  }
  return {};
}

TEST(NcclLibrary, OpensAsSeveralCopiesThatShareNothing) {
  const fs::path original = installed();
  if (original.empty()) GTEST_SKIP() << "skipped: libnccl.so.2 is not installed";
  const tests::ScratchFolder folder;
  std::vector<std::shared_ptr<const NcclLibrary>> copies;
  for (const char* name : {"one.so", "two.so"}) {
    fs::copy_file(original, folder / name);
    auto opened = NcclLibrary::open((folder / name).string());
    ASSERT_TRUE(opened) << opened.error().text();
    copies.push_back(std::move(*opened));
  }
  EXPECT_EQ(copies[0]->version(), copies[1]->version());
  EXPECT_NE(copies[0]->all_reduce, copies[1]->all_reduce);
  copies.clear();
}

TEST(NcclLibrary, RefusesWhatIsNoLibrary) {
  const auto opened = NcclLibrary::open("/nowhere/libnccl.so.2");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().where, "--library");
  EXPECT_EQ(
      opened.error().hint,
      "name the file of libnccl.so.2, or its folder's parent by NCCL_HOME; PyTorch includes one, in lib of: "
      "python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0])'");
}

}  // namespace
}  // namespace calibrate::probes
#else
TEST(NcclLibrary, OpensAsSeveralCopiesThatShareNothing) { GTEST_SKIP() << "skipped: built without NCCL"; }
#endif
