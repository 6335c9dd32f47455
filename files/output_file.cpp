// Writes files beside their places and renames them.
#include "files/output_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "files/descriptor.hpp"
#include "files/folder.hpp"

namespace files {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view partial_ending = ".partial";

/// `.NAME.`, with which the other names of a file begin.
std::string partial_beginning(const fs::path& target) { return "." + target.filename().string() + "."; }

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

/// The file that a link leads to, or the path as it is.
fs::path behind_links(const fs::path& target) {
  std::error_code unknown;
  if (!fs::is_symlink(target, unknown)) return target;
  const fs::path real = fs::weakly_canonical(target, unknown);
  return unknown ? target : real;
}

bool is_device(const fs::path& target) {
  std::error_code unknown;
  const fs::file_status status = fs::status(target, unknown);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// Whether the name still leads to the opened file.
bool is_named(const Descriptor& file, const fs::path& path) {
  struct stat opened {
  }, named{};
  return fstat(file.number(), &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// A process that writes a file holds its lock; one that was killed does not.
void remove_left_behind(const fs::path& target) {
  const std::string begin = partial_beginning(target);
  for (const fs::path& path : paths_in(folder_of(target))) {
    const std::string name = path.filename().string();
    if (!name.starts_with(begin) || !name.ends_with(partial_ending)) continue;
    const Descriptor left(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (left && flock(left.number(), LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  }
}

}  // namespace

OutputFile::OutputFile(const fs::path& target) : target_(is_device(target) ? target : behind_links(target)) {
  if (!is_device(target_)) {
    open_beside();
    return;
  }
  file_ = Descriptor(retried([this] { return open(target_.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (!file_) fail("cannot be opened for writing");
}

void OutputFile::open_beside() {
  static std::atomic<unsigned> count{0};
  remove_left_behind(target_);
  constexpr int tries = 100;  // each lost to another process that took the file for one left behind
  for (int i = 0; i < tries; ++i) {
    partial_ = folder_of(target_) /
               fmt::format("{}{}-{}{}", partial_beginning(target_), getpid(), count++, partial_ending);
    Descriptor file(retried([this] {
      return open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }));
    if (!file && errno == EEXIST) continue;
    if (!file) fail("cannot be opened for writing");
    flock(file.number(), LOCK_EX | LOCK_NB);
    if (!is_named(file, partial_)) continue;
    file_ = std::move(file);
    return;
  }
  fail("cannot be written under a name of its own");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)),
      partial_(std::exchange(other.partial_, {})),
      file_(std::move(other.file_)),
      unwritten_(std::move(other.unwritten_)) {}

OutputFile::~OutputFile() {
  if (!file_) return;
  file_.reset();
  if (!partial_.empty()) unlink(partial_.c_str());
}

void OutputFile::write(std::string_view text) {
  unwritten_ += text;
  constexpr std::size_t enough = std::size_t{1} << 16;
  if (unwritten_.size() >= enough) flush();
}

void OutputFile::flush() {
  std::string_view rest = unwritten_;
  while (!rest.empty()) {
    const ssize_t written = retried([&] { return ::write(file_.number(), rest.data(), rest.size()); });
    if (written <= 0) fail("cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  unwritten_.clear();
}

/// Everything is on the disk, under the other name.
void OutputFile::complete() {
  flush();
  if (!partial_.empty() && !flush_to_disk(file_.number())) fail("cannot be put on the disk");
}

void OutputFile::finish() {
  complete();
  if (partial_.empty()) return file_.reset();
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail("cannot be renamed to its final name");
  file_.reset();
  if (!flush_folder_to_disk(folder_of(target_))) fail(in_place_only);
}

/// Puts the file in its place; what was there takes the other name, where it is found until this is
/// destroyed.
/// @returns false where nothing was there, or where the file system cannot exchange two names
bool OutputFile::exchange() {
  const auto swapped = [this](unsigned flags) {
    return renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, target_.c_str(), flags) == 0;
  };
  std::error_code unknown;
  const bool is_folder = fs::is_directory(target_, unknown);  // a file could not be exchanged with a folder
  if (!is_folder && swapped(RENAME_EXCHANGE)) return true;
  const bool is_possible = is_folder || errno == ENOENT || errno == EINVAL || errno == ENOSYS;
  if (!is_possible || std::rename(partial_.c_str(), target_.c_str()) != 0)
    fail("cannot be renamed to its final name");
  return false;
}

void OutputFile::fail(const std::string& what) const {
  const int cause = errno;
  throw std::system_error(cause, std::generic_category(), target_.string() + " " + what);
}

void write_file(const fs::path& target, std::string_view text) {
  OutputFile file(target);
  file.write(text);
  file.finish();
}

bool flush_to_disk(int file) {
  if (retried([file] { return fsync(file); }) == 0) return true;
  return errno == EINVAL || errno == EROFS || errno == ENOTSUP;  // the file system has nothing to flush
}

bool flush_folder_to_disk(const fs::path& folder) {
  const Descriptor opened(
      retried([&folder] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  return opened ? flush_to_disk(opened.number()) : errno == EACCES;  // a folder may be written, and not read
}

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

bool is_same_file(const std::string& one, const std::string& other) {
  const auto whole = [](const std::string& path) { return fs::weakly_canonical(fs::absolute(path)); };
  return !is_standard_output(one) && !is_standard_output(other) && whole(one) == whole(other);
}

netmodels::Result<void> check_output(const std::string& path, const std::string& option) {
  std::error_code unknown;
  const fs::path target(path);
  if (path.empty()) return netmodels::refuse(option, "the name is empty", "name a file");
  if (fs::is_directory(target, unknown))
    return netmodels::refuse(option, "`" + path + "` is a folder", "name a file in it");
  if (target.has_parent_path() && !fs::is_directory(target.parent_path(), unknown)) {
    return netmodels::refuse(option, "no such folder: `" + target.parent_path().string() + "`",
                             "create it first");
  }
  return {};
}

netmodels::Result<void> write_output(const std::string& path, std::string_view text,
                                     std::ostream& standard_output) {
  if (is_standard_output(path)) {
    standard_output << text;
    return {};
  }
  if (auto fits = check_output(path); !fits) return fits;
  write_file(path, text);
  return {};
}

}  // namespace files
