// Output files: whole or not there, standard output by its names, and folders refused.
#include "calibrate/files/output_file.hpp"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace calibrate::files {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  tests::ScratchFolder folder_;
  std::ostringstream standard_;
};

TEST_F(OutputFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const fs::path path = folder_ / "a.csv";
  ASSERT_TRUE(write_output(path.string(), "a longer text", standard_));
  ASSERT_TRUE(write_output(path.string(), "text", standard_));
  EXPECT_EQ(tests::text_of(path), "text");
  EXPECT_EQ(folder_.files().size(), 1U);
  EXPECT_EQ(standard_.str(), "");
}

TEST_F(OutputFile, IsTheSameByWhateverPath) {
  const auto path = [&](const char* name) { return (folder_ / name).string(); };
  EXPECT_TRUE(is_same_file(path("a.csv"), path("./b/../a.csv")));
  EXPECT_FALSE(is_same_file(path("a.csv"), path("b.csv")));
  EXPECT_TRUE(is_same_file("not/there.csv", "./not/there.csv"));
  EXPECT_FALSE(is_same_file("-", "-"));
}

TEST_F(OutputFile, StandardOutputHasTwoNames) {
  ASSERT_TRUE(write_output("-", "a", standard_));
  ASSERT_TRUE(write_output("/dev/stdout", "b", standard_));
  EXPECT_EQ(standard_.str(), "ab");
}

TEST_F(OutputFile, FoldersAreRefused) {
  EXPECT_EQ(write_output(folder_.path().string(), "", standard_).error().text(),
            "-o: `" + folder_.path().string() + "` is a folder; name a file in it");
  EXPECT_FALSE(check_output(folder_.path().string()));
  EXPECT_TRUE(check_output((folder_ / "a").string()));
  EXPECT_TRUE(check_output("-"));
  const fs::path missing = folder_ / "none";
  EXPECT_FALSE(check_output((missing / "a").string()));
  EXPECT_EQ(write_output((missing / "a").string(), "", standard_).error().text(),
            "-o: no such folder: `" + missing.string() + "`; create it first");
}

}  // namespace
}  // namespace calibrate::files
