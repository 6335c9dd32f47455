// Stages a folder, and exchanges it with the one in its place.
#include "files/output_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "files/folder.hpp"
#include "files/output_file.hpp"

namespace files {
namespace {

using netmodels::refuse;
using netmodels::Result;
namespace fs = std::filesystem;

constexpr std::string_view staging_ending = ".partial";
constexpr std::string_view incoming = ".incoming.partial";  // complete, to be moved into the folder
constexpr std::string_view moving = ".moving.partial";      // rest that is not moved yet

/// Path without a slash at the end, so that the last part is the folder's name.
fs::path without_slash(const fs::path& path) { return path.has_filename() ? path : path.parent_path(); }

fs::path parent_of(const fs::path& path) { return fs::absolute(path).lexically_normal().parent_path(); }

/// The uppermost folder on the way to `path` that does not exist yet; empty where all do.
fs::path first_missing(const fs::path& path) {
  fs::path missing;
  for (fs::path folder = fs::absolute(path).lexically_normal(); !fs::exists(folder);
       folder = folder.parent_path())
    missing = folder;
  return missing;
}

/// Removes folders from `path` up to `made`, as long as they are empty.
void remove_made(const fs::path& path, const fs::path& made) {
  std::error_code stop;
  for (fs::path folder = path; fs::remove(folder, stop) && folder != made;) folder = folder.parent_path();
}

bool is_partial(const std::string& name) { return name.starts_with('.') && name.ends_with(staging_ending); }

/// Whether the folder can only be filled from inside: exchanged, it would leave a program without its working
/// folder, or it is where a file system is mounted, or its parent may not be written.
bool is_fixed(const fs::path& folder) {
  std::error_code unknown;
  struct stat own {
  }, above{};
  if (stat(folder.c_str(), &own) != 0) return false;
  if (fs::equivalent(folder, fs::current_path(unknown), unknown)) return true;
  const fs::path parent = parent_of(folder);
  return stat(parent.c_str(), &above) != 0 || own.st_dev != above.st_dev || access(parent.c_str(), W_OK) != 0;
}

[[noreturn]] void fail(const fs::path& path, const char* what) {
  const int cause = errno;
  throw std::system_error(cause, std::generic_category(), path.string() + " " + what);
}

}  // namespace

Result<OutputFolder> OutputFolder::open(const fs::path& path, const std::string& option, IsResult is_result) {
  if (path.empty()) return refuse(option, "the name is empty", "name a folder; it is created if needed");
  std::error_code unknown;
  fs::path named = without_slash(path);
  if (fs::exists(named, unknown) && !fs::is_directory(named, unknown)) {
    return refuse(option, "`" + path.string() + "` is a file", "name a folder; it is created if needed");
  }
  OutputFolder folder(std::move(named), is_result);
  folder.is_inside_ = is_fixed(folder.path_);
  const fs::path real = fs::weakly_canonical(fs::absolute(folder.path_));
  folder.made_ = first_missing(parent_of(real));
  const auto cannot = [&](const std::error_code& cause) {
    return refuse(option, "`" + path.string() + "` cannot be created: " + cause.message(),
                  "name a folder inside one that can be written");
  };
  std::error_code failed;
  fs::create_directories(parent_of(real), failed);
  if (failed) return cannot(failed);
  auto lock = FileLock::acquire(folder.is_inside_ ? real / ".results" : real);
  if (!lock) return refuse(option, "`" + path.string() + "`: " + lock.error().what, lock.error().hint);
  folder.lock_.emplace(std::move(*lock));
  folder.remove_left_behind();
  if (const std::error_code cause = folder.make_staging()) return cannot(cause);
  return folder;
}

std::error_code OutputFolder::make_staging() {
  const fs::path real = fs::weakly_canonical(fs::absolute(path_));
  const std::string id = std::to_string(getpid());
  staging_ = is_inside_ ? real / (".results." + id + std::string(staging_ending))
                        : real.parent_path() /
                              ("." + real.filename().string() + "." + id + std::string(staging_ending));
  if (mkdir(staging_.c_str(), 0777) != 0) return {errno, std::generic_category()};
  return {};
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::move(other.path_)),
      is_result_(other.is_result_),
      is_inside_(other.is_inside_),
      staging_(std::exchange(other.staging_, {})),
      made_(std::exchange(other.made_, {})),
      lock_(std::move(other.lock_)) {
  other.lock_.reset();
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;  // destructor: errors cannot be reported
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  lock_.reset();
  if (!made_.empty()) remove_made(parent_of(path_), made_);
}

// What a killed process left. The lock is held, so that no other one is at work.

void OutputFolder::remove_left_behind() const {
  if (is_incomplete(path_)) move_in();
  const fs::path real = fs::weakly_canonical(fs::absolute(path_));
  const auto remove_from = [this](const fs::path& folder, const std::string& begin) {
    for (const fs::path& entry : paths_in(folder)) {
      const std::string name = entry.filename().string();
      if (!is_partial(name) || !name.starts_with(begin) || !fs::is_directory(fs::symlink_status(entry)))
        continue;
      keep_others(entry);
      fs::remove_all(entry);
    }
  };
  remove_from(real, ".results.");
  remove_from(real.parent_path(), "." + real.filename().string() + ".");
}

// Putting the files in place.

void OutputFolder::finish() {
  if (!flush_folder_to_disk(staging_)) fail(path_, "cannot be put on the disk");
  const fs::path real = fs::weakly_canonical(fs::absolute(path_));
  const bool is_new =
      !is_inside_ && std::rename(staging_.c_str(), real.c_str()) == 0;  // also where it is empty
  if (const int reason = errno; !is_new && !fs::exists(real)) {         // no earlier folder is in the way
    errno = reason;
    fail(path_, "cannot be made");
  }
  if (!is_new && !(!is_inside_ && exchange())) {
    const fs::path complete = real / incoming;
    if (std::rename(staging_.c_str(), complete.c_str()) != 0) fail(path_, "cannot be filled");
    move_in();
  }
  staging_.clear();
  made_.clear();
  if (!flush_folder_to_disk(real.parent_path())) fail(path_, in_place_only);
}

/// @returns false where the system cannot
bool OutputFolder::exchange() const {
  const fs::path real = fs::weakly_canonical(fs::absolute(path_));
  if (renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, real.c_str(), RENAME_EXCHANGE) != 0) return false;
  keep_others(staging_);  // now the earlier folder
  fs::remove_all(staging_);
  return true;
}

/// Moves what is no result from an earlier folder into the new one, where it has no file of that name.
void OutputFolder::keep_others(const fs::path& from) const {
  for (const fs::path& entry : paths_in(from)) {
    const std::string name = entry.filename().string();
    if (is_result_(name) || is_partial(name)) continue;
    if (!fs::exists(fs::symlink_status(path_ / name))) fs::rename(entry, path_ / name);
  }
}

/// First the results of an earlier run that this one does not have go, then the new ones come; the name of
/// the folder that they come from says how far it got.
void OutputFolder::move_in() const {
  const fs::path complete = path_ / incoming;
  const fs::path cleared = path_ / moving;
  if (fs::is_directory(complete)) {
    for (const fs::path& entry : paths_in(path_)) {
      const std::string name = entry.filename().string();
      if (is_result_(name) && !fs::exists(complete / name)) fs::remove_all(entry);
    }
    fs::rename(complete, cleared);
  }
  for (const fs::path& entry : paths_in(cleared)) fs::rename(entry, path_ / entry.filename());
  fs::remove(cleared);
}

bool OutputFolder::is_incomplete(const fs::path& folder) {
  std::error_code unknown;
  return fs::is_directory(folder / incoming, unknown) || fs::is_directory(folder / moving, unknown);
}

}  // namespace files
