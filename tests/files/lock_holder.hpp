// A process of its own that holds the lock of a file.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "files/file_lock.hpp"

namespace tests {

/// A process that has taken a lock and waits to be killed.
class LockHolder {
 public:
  explicit LockHolder(const std::filesystem::path& file) {
    int ends[2];
    if (pipe(ends) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      const auto lock = files::FileLock::acquire(file);
      const char taken = lock ? 'y' : 'n';
      (void)!write(ends[1], &taken, 1);
      pause();
      _exit(0);
    }
    char taken = 'n';
    (void)!read(ends[0], &taken, 1);
    EXPECT_EQ(taken, 'y');
    close(ends[0]);
    close(ends[1]);
  }
  ~LockHolder() { end(); }
  LockHolder(const LockHolder&) = delete;
  LockHolder& operator=(const LockHolder&) = delete;

  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  [[nodiscard]] std::string name() const { return std::to_string(process_); }

 private:
  pid_t process_ = 0;
};

}  // namespace tests
