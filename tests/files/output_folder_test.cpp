// Folders of results: replaced as a whole, by one process at a time, with nothing left behind.
#include "files/output_folder.hpp"

#include <csignal>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "files/output_file.hpp"
#include "tests/scratch_folder.hpp"

namespace files {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

bool is_result(std::string_view name) { return name == "a" || name == "b"; }

netmodels::Result<OutputFolder> opened(const fs::path& path) {
  return OutputFolder::open(path, "--out", is_result);
}

void fill(const fs::path& path, const std::string& text, bool with_b = true) {
  auto folder = opened(path);
  ASSERT_TRUE(folder) << folder.error().text();
  write_file(folder->staging() / "a", text);
  if (with_b) write_file(folder->staging() / "b", text);
  folder->finish();
}

/// A process that is killed at a point of filling the folder, as `kill -9` does.
template <class Act>
void kill_after(Act act) {
  const pid_t child = fork();
  if (child == 0) {
    act();
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(OutputFolder, IsThereOnlyWhenItIsComplete) {
  const tests::ScratchFolder scratch;
  {
    auto folder = opened(scratch / "deep/out/");
    write_file(folder->staging() / "a", "x");
    EXPECT_FALSE(fs::exists(scratch / "deep/out"));
    folder->finish();
  }
  EXPECT_THAT(scratch.files(), ElementsAre("deep", "deep/out", "deep/out/a"));
}

TEST(OutputFolder, GivenUpLeavesNothing) {
  const tests::ScratchFolder scratch;
  {
    auto folder = opened(scratch / "deep/er/out");
    write_file(folder->staging() / "a", "x");
  }
  EXPECT_THAT(scratch.files(), IsEmpty());
}

TEST(OutputFolder, IsReplacedAsAWholeAndKeepsOtherFiles) {
  const tests::ScratchFolder scratch;
  fill(scratch / "out", "first");
  scratch.write("out/notes/mine.txt", "notes");
  fill(scratch / "out", "second", false);
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/a", "out/notes", "out/notes/mine.txt"));
  EXPECT_EQ(tests::text_of(scratch / "out/a"), "second");
}

TEST(OutputFolder, TheWorkingFolderStaysTheSameFolder) {
  const tests::ScratchFolder scratch;
  fill(scratch / "out", "first");
  const fs::path before = fs::current_path();
  fs::current_path(scratch / "out");
  fill(".", "second", false);
  EXPECT_EQ(tests::text_of("a"), "second");
  EXPECT_FALSE(fs::exists("b"));
  fs::current_path(before);
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/a"));
}

TEST(OutputFolder, IsWrittenByOneProcessAtATime) {
  const tests::ScratchFolder scratch;
  auto folder = opened(scratch / "out");
  const pid_t child = fork();
  if (child == 0) {
    const auto second = opened(scratch / "out");
    const bool refused = !second && second.error().text() ==
                                        "--out: `" + (scratch / "out").string() +
                                            "`: it is being written by process " + std::to_string(getppid()) +
                                            "; wait until it has ended, or name another file";
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(OutputFolder, KilledWhileItWroteIsCleanedByTheNext) {
  const tests::ScratchFolder scratch;
  fill(scratch / "out", "first");
  kill_after([&] {
    auto folder = opened(scratch / "out");
    write_file(folder->staging() / "a", "half");
  });
  EXPECT_EQ(tests::text_of(scratch / "out/a"), "first");
  fill(scratch / "out", "second");
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/a", "out/b"));
}

TEST(OutputFolder, OtherFilesOfAFolderThatWasExchangedBeforeAKillComeBack) {
  const tests::ScratchFolder scratch;
  fill(scratch / "out", "new");
  scratch.write(".out.1.partial/a", "old");  // the earlier folder, after the exchange
  scratch.write(".out.1.partial/notes", "mine");
  fill(scratch / "out", "newer");
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/a", "out/b", "out/notes"));
  EXPECT_EQ(tests::text_of(scratch / "out/a"), "newer");
}

TEST(OutputFolder, KilledWhileItMovedFilesInIsIncompleteAndCompletedByTheNext) {
  const tests::ScratchFolder scratch;
  scratch.write("out/a", "new");  // moved already
  scratch.write("out/.moving.partial/b", "new");
  EXPECT_TRUE(OutputFolder::is_incomplete(scratch / "out"));
  { auto next = opened(scratch / "out"); }
  EXPECT_FALSE(OutputFolder::is_incomplete(scratch / "out"));
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/a", "out/b"));
}

TEST(OutputFolder, KilledBeforeItMovedFilesInLosesWhatTheNewRunDoesNotHave) {
  const tests::ScratchFolder scratch;
  scratch.write("out/a", "old");
  scratch.write("out/notes", "mine");
  scratch.write("out/.incoming.partial/b", "new");
  EXPECT_TRUE(OutputFolder::is_incomplete(scratch / "out"));
  { auto next = opened(scratch / "out"); }
  EXPECT_THAT(scratch.files(), ElementsAre("out", "out/b", "out/notes"));
}

TEST(OutputFolder, AFolderThatTheSystemDoesNotCreateIsRefusedByTheNameThatWasGiven) {
  EXPECT_EQ(
      opened("/proc/x").error().text(),
      "--out: `/proc/x` cannot be created: No such file or directory; name a folder inside one that can "
      "be written");
  EXPECT_EQ(opened("/proc/x/y").error().text(),
            "--out: `/proc/x/y` cannot be created: No such file or directory; name a folder inside one that "
            "can be written");
}

TEST(OutputFolder, FilesAndEmptyNamesAreRefused) {
  const tests::ScratchFolder scratch;
  scratch.write("out", "mine");
  EXPECT_EQ(opened(scratch / "out").error().text(),
            "--out: `" + (scratch / "out").string() + "` is a file; name a folder; it is created if needed");
  EXPECT_EQ(opened("").error().text(), "--out: the name is empty; name a folder; it is created if needed");
}

}  // namespace
}  // namespace files
