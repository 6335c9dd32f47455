// A file that one process at a time may write.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

#include "netmodels/result.hpp"

namespace files {

/// The right to write a file, held until this ends or its process does, killed or not: the system takes a
/// record lock on FILE.lock back by itself. Children do not inherit it.
///
/// Leaves out: threads and other locks of the same process, which it does not keep apart; folders that take
/// no file and file systems without locks, where nothing is held.
class FileLock {
 public:
  /// @param file  that is to be written; FILE.lock next to it is made, and removed with the lock
  /// @returns an Error at `file` that names the process which writes it, or the lock that cannot be opened
  static netmodels::Result<FileLock> acquire(const std::filesystem::path& file);

  /// The process that writes a file: "process 17".
  /// @param file  whose lock this process does not hold: looking would release it
  /// @returns nothing where no process of a machine that shares its locks writes it
  static std::optional<std::string> holder(const std::filesystem::path& file);

  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  FileLock(int descriptor, std::string path);

  int descriptor_;
  std::string path_;
  pid_t owner_;
};

}  // namespace files
