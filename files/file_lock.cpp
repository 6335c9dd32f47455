// Record locks on a separate file.
#include "files/file_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace files {
namespace {

using netmodels::Error;
using netmodels::refuse;
using netmodels::Result;

constexpr int none = -1;  // as the system calls say

/// Lock of the whole file.
struct flock whole_file() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

/// Whether a descriptor still is the file of this name: releasing the lock removes it.
bool is_there(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Why the lock of a file cannot be opened; nothing where opening the file itself reports the error.
std::optional<Error> open_error(const std::filesystem::path& file, const std::string& path, int cause) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown))
    return Error{file.string(), "its lock `" + path + "` cannot be opened", "look at who owns it"};
  const bool is_of_folder = cause == ENOENT || cause == ENOTDIR || cause == EACCES || cause == EROFS;
  if (is_of_folder) return std::nullopt;
  return Error{file.string(),
               "its lock `" + path + "` cannot be created: " + std::generic_category().message(cause),
               "check the disk"};
}

/// @param process  0 or below where the system does not know it, as for another machine's
std::string name_of(pid_t process) {
  return process > 0 ? fmt::format("process {}", process) : "another process";
}

/// One lock for all names of the file.
std::string lock_path(const std::filesystem::path& file) {
  std::error_code unknown;
  const auto real = std::filesystem::weakly_canonical(file, unknown);
  return (unknown ? file : real).string() + ".lock";
}

}  // namespace

FileLock::FileLock(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)), owner_(getpid()) {}

FileLock::FileLock(FileLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, none)),
      path_(std::move(other.path_)),
      owner_(other.owner_) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(owner_, other.owner_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ == none) return;
  if (owner_ == getpid()) unlink(path_.c_str());  // a child has the descriptor, not the lock
  close(descriptor_);
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& file) {
  const std::string path = lock_path(file);
  while (true) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor == none) {
      const int cause = errno;
      if (cause == EINTR) continue;
      if (auto error = open_error(file, path, cause)) return tl::unexpected(std::move(*error));
      return FileLock(none, path);
    }
    FileLock lock(descriptor, path);
    struct flock asked = whole_file();
    if (fcntl(descriptor, F_SETLK, &asked) == 0) {
      if (is_there(descriptor, path)) return lock;
      lock.owner_ = 0;  // another process's file by now
      continue;
    }
    if (errno != EACCES && errno != EAGAIN) return FileLock(none, path);  // a file system without locks
    lock.owner_ = 0;
    struct flock holder = whole_file();
    const bool is_known = fcntl(descriptor, F_GETLK, &holder) == 0;
    if (is_known && holder.l_type == F_UNLCK) continue;  // just given back
    return refuse(file.string(), "it is being written by " + name_of(is_known ? holder.l_pid : 0),
                  "wait until it has ended, or name another file");
  }
}

std::optional<std::string> FileLock::holder(const std::filesystem::path& file) {
  const int descriptor = open(lock_path(file).c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor == none) return std::nullopt;
  struct flock found = whole_file();
  const bool is_held = fcntl(descriptor, F_GETLK, &found) == 0 && found.l_type != F_UNLCK;
  close(descriptor);
  return is_held ? std::optional(name_of(found.l_pid)) : std::nullopt;
}

}  // namespace files
