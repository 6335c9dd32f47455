// Tests of files that one process at a time may write.
#include "files/file_lock.hpp"

#include <csignal>
#include <optional>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/files/lock_holder.hpp"
#include "tests/scratch_folder.hpp"

namespace files {
namespace {

using tests::LockHolder;

/// The error of another process that asks for the lock; empty where it gets it.
std::string told_elsewhere(const std::filesystem::path& file) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = FileLock::acquire(file);
    const std::string said = lock ? "" : lock.error().what;
    (void)!write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  std::string said(200, ' ');
  const auto length = read(ends[0], said.data(), said.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  said.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return said;
}

TEST(FileLock, IsHeldByOneProcessWhichIsNamed) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a.db";
  auto lock = FileLock::acquire(file);
  ASSERT_TRUE(lock);
  EXPECT_EQ(told_elsewhere(file), "it is being written by process " + std::to_string(getpid()));
  EXPECT_EQ(told_elsewhere(scratch / "b.db"), "");
}

TEST(FileLock, IsOneWhateverTheFileIsCalled) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a.db";
  scratch.write("a.db", "");
  std::filesystem::create_symlink(file, scratch / "other.db");
  const LockHolder holder(file);
  EXPECT_FALSE(FileLock::acquire(scratch / "other.db"));
}

TEST(FileLock, EndsWithItsFileRemoved) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a.db";
  {
    const auto lock = FileLock::acquire(file);
    EXPECT_TRUE(std::filesystem::exists(scratch / "a.db.lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.db.lock"));
  EXPECT_EQ(told_elsewhere(file), "");
}

TEST(FileLock, OfAKilledProcessIsFree) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a.db";
  LockHolder holder(file);
  EXPECT_FALSE(FileLock::acquire(file));
  holder.end();
  EXPECT_TRUE(std::filesystem::exists(scratch / "a.db.lock"));
  EXPECT_TRUE(FileLock::acquire(file));
}

TEST(FileLock, IsNotLostWhereAChildEnds) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a.db";
  std::optional<FileLock> lock = std::move(*FileLock::acquire(file));
  const pid_t child = fork();
  if (child == 0) {
    lock.reset();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_NE(told_elsewhere(file), "");
}

TEST(FileLock, ThatCannotBeMadeIsNoError) { EXPECT_TRUE(FileLock::acquire("/nowhere/at/all/a.db")); }

TEST(FileLock, ItsHolderIsNamedWhileItLives) {
  const tests::ScratchFolder scratch;
  const auto file = scratch / "a";
  EXPECT_EQ(FileLock::holder(file), std::nullopt);
  LockHolder holder(file);
  EXPECT_EQ(FileLock::holder(file), "process " + holder.name());
  holder.end();  // the lock's file stays
  EXPECT_EQ(FileLock::holder(file), std::nullopt);
}

}  // namespace
}  // namespace files
