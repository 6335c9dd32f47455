// Output files: whole or not there, standard output by its names, and folders refused.
#include "files/output_file.hpp"

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <string>
#include <system_error>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scratch_folder.hpp"

namespace files {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class WrittenFile : public testing::Test {
 protected:
  tests::ScratchFolder folder_;
  std::ostringstream standard_;
};

TEST_F(WrittenFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const fs::path path = folder_ / "a.csv";
  ASSERT_TRUE(write_output(path.string(), "a longer text", standard_));
  ASSERT_TRUE(write_output(path.string(), "text", standard_));
  EXPECT_EQ(tests::text_of(path), "text");
  EXPECT_EQ(folder_.files().size(), 1U);
  EXPECT_EQ(standard_.str(), "");
}

TEST_F(WrittenFile, IsTheSameByWhateverPath) {
  const auto path = [&](const char* name) { return (folder_ / name).string(); };
  EXPECT_TRUE(is_same_file(path("a.csv"), path("./b/../a.csv")));
  EXPECT_FALSE(is_same_file(path("a.csv"), path("b.csv")));
  EXPECT_TRUE(is_same_file("not/there.csv", "./not/there.csv"));
  EXPECT_FALSE(is_same_file("-", "-"));
}

TEST_F(WrittenFile, StandardOutputHasTwoNames) {
  ASSERT_TRUE(write_output("-", "a", standard_));
  ASSERT_TRUE(write_output("/dev/stdout", "b", standard_));
  EXPECT_EQ(standard_.str(), "ab");
}

TEST_F(WrittenFile, FoldersAreRefused) {
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

TEST_F(WrittenFile, AnEmptyNameIsRefused) {
  EXPECT_EQ(check_output("").error().text(), "-o: the name is empty; name a file");
}

TEST_F(WrittenFile, UnfinishedFilesLeaveNothingAndKeepTheOldOne) {
  folder_.write("a.csv", "old");
  {
    OutputFile file(folder_ / "a.csv");
    file.write("half");
    EXPECT_EQ(folder_.files().size(), 2U);
  }
  EXPECT_THAT(folder_.files(), ElementsAre("a.csv"));
  EXPECT_EQ(tests::text_of(folder_ / "a.csv"), "old");
}

TEST_F(WrittenFile, LongTextsAreWhole) {
  const std::string piece(100'000, 'x');
  OutputFile file(folder_ / "a.csv");
  for (int i = 0; i < 5; ++i) file.write(piece + "\n");
  file.finish();
  std::string all;
  for (int i = 0; i < 5; ++i) all += piece + "\n";
  EXPECT_EQ(tests::text_of(folder_ / "a.csv"), all);
}

TEST_F(WrittenFile, WritersOfOneFileDoNotMix) {
  OutputFile one(folder_ / "a.csv");
  OutputFile other(folder_ / "a.csv");
  one.write("one");
  other.write("other");
  other.finish();
  EXPECT_EQ(tests::text_of(folder_ / "a.csv"), "other");
  one.finish();
  EXPECT_EQ(tests::text_of(folder_ / "a.csv"), "one");
  EXPECT_THAT(folder_.files(), ElementsAre("a.csv"));
}

TEST_F(WrittenFile, APlantedLinkIsNotFollowed) {
  const fs::path precious = folder_.write("precious", "mine");
  for (int i = 0; i < 50; ++i)  // every name that this process could take next
    fs::create_symlink(
        precious, folder_ / (".a.csv." + std::to_string(getpid()) + "-" + std::to_string(i) + ".partial"));
  write_file(folder_ / "a.csv", "text");
  EXPECT_EQ(tests::text_of(precious), "mine");
  EXPECT_EQ(tests::text_of(folder_ / "a.csv"), "text");
}

TEST_F(WrittenFile, ThroughALinkTheFileBehindItIsReplaced) {
  folder_.write("real", "old");
  fs::create_symlink("real", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(tests::text_of(folder_ / "real"), "new");
}

TEST_F(WrittenFile, ADeviceIsWrittenAndStays) {
  fs::create_symlink("/dev/null", folder_ / "null");
  for (const fs::path& device : {fs::path("/dev/null"), folder_ / "null"}) {
    write_file(device, "text");
    EXPECT_TRUE(fs::is_character_file(device)) << device;
  }
  EXPECT_TRUE(fs::is_symlink(folder_ / "null"));
  EXPECT_EQ(folder_.files().size(), 1U);
}

TEST_F(WrittenFile, AFullDeviceIsAnErrorThatNamesIt) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  try {
    write_file("/dev/full", std::string(100'000, 'x'));
    FAIL() << "nothing was thrown";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOSPC);
    EXPECT_THAT(error.what(), HasSubstr("/dev/full cannot be written"));
  }
}

TEST_F(WrittenFile, WhatAKilledProcessLeftIsRemoved) {
  folder_.write(".a.csv.1-0.partial", "half");
  folder_.write(".b.csv.1-0.partial", "of another file");
  write_file(folder_ / "a.csv", "text");
  EXPECT_THAT(folder_.files(), ElementsAre(".b.csv.1-0.partial", "a.csv"));
}

TEST_F(WrittenFile, AFolderThatIsNotThereIsAFailureOfTheSystem) {
  EXPECT_THROW(OutputFile("/nowhere/at/all.txt"), std::system_error);
}

}  // namespace
}  // namespace files
