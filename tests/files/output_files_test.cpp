// Files that belong together: all of one writing, or all of the one before.
#include "files/output_files.hpp"

#include <array>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/scratch_folder.hpp"

namespace files {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GroupOfFiles : public testing::Test {
 protected:
  void write(const std::string& text) const {
    const std::array<FileText, 3> texts{
        {{folder_ / "a.csv", text}, {folder_ / "b.csv", text}, {folder_ / "c.yaml", text}}};
    write_files(texts);
  }
  [[nodiscard]] std::string text(const char* name) const { return tests::text_of(folder_ / name); }
  /// What is said where `c.yaml` cannot take its place: a folder of that name has a file in it.
  [[nodiscard]] std::string refused(const std::string& text) const {
    try {
      write(text);
    } catch (const std::system_error& error) {
      return error.what();
    }
    return "";
  }

  tests::ScratchFolder folder_;
};

TEST_F(GroupOfFiles, AreAllWrittenAndLeaveNothingBeside) {
  write("one");
  write("two");
  EXPECT_THAT(folder_.files(), ElementsAre("a.csv", "b.csv", "c.yaml"));
  for (const char* name : {"a.csv", "b.csv", "c.yaml"}) EXPECT_EQ(text(name), "two");
}

TEST_F(GroupOfFiles, WhereTheLastCannotTakeItsPlaceTheFirstAreAsTheyWere) {
  folder_.write("a.csv", "old");
  folder_.write("c.yaml/in_the_way", "");
  EXPECT_THAT(refused("new"), HasSubstr("c.yaml"));
  EXPECT_EQ(text("a.csv"), "old");
  EXPECT_THAT(folder_.files(), ElementsAre("a.csv", "c.yaml", "c.yaml/in_the_way"));
}

TEST_F(GroupOfFiles, WhereTheLastIsTooLongNoneIsThere) {
  const auto write_limited = [this] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit few{10, 10};
    setrlimit(RLIMIT_FSIZE, &few);
    const std::array<FileText, 2> texts{
        {{folder_ / "a.csv", "short"}, {folder_ / "c.yaml", "longer than ten bytes"}}};
    try {
      write_files(texts);
    } catch (const std::system_error& error) {
      _exit(std::string(error.what()).find("c.yaml cannot be written: File too large") != std::string::npos
                ? 7
                : 8);
    }
    _exit(0);
  };
  EXPECT_EXIT(write_limited(), testing::ExitedWithCode(7), "");
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(GroupOfFiles, ADeviceAmongThemIsWrittenAndStays) {
  fs::create_symlink("/dev/null", folder_ / "b.csv");
  write("text");
  EXPECT_TRUE(fs::is_symlink(folder_ / "b.csv"));
  EXPECT_EQ(text("a.csv"), "text");
  EXPECT_EQ(text("c.yaml"), "text");
}

TEST_F(GroupOfFiles, UnfinishedLeavesNothing) {
  const std::array<FileText, 1> texts{{{folder_ / "a.csv", "text"}}};
  { const OutputFiles files(texts); }
  EXPECT_THAT(folder_.files(), IsEmpty());
}

}  // namespace
}  // namespace files
