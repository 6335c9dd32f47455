// Completes every file before the first one takes its place.
#include "files/output_files.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <set>
#include <unistd.h>

namespace files {
namespace {

/// SIGINT and SIGTERM wait for the end of this.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

OutputFiles::OutputFiles(std::span<const FileText> files) {
  files_.reserve(files.size());
  for (const FileText& file : files) files_.emplace_back(file.target).write(file.text);
}

void OutputFiles::finish() {
  for (OutputFile& file : files_) file.complete();
  const SignalsHeld held;
  take_places();
  std::set<std::filesystem::path> folders;
  for (const OutputFile& file : files_)
    if (!file.partial_.empty() && folders.insert(file.partial_.parent_path()).second &&
        !flush_folder_to_disk(file.partial_.parent_path()))
      file.fail(in_place_only);
  files_.clear();
}

void OutputFiles::take_places() {
  for (OutputFile& file : files_) {
    try {
      had_former_.push_back(!file.partial_.empty() && file.exchange());
    } catch (...) {
      give_back(had_former_.size());
      throw;
    }
  }
}

void OutputFiles::give_back(std::size_t placed) noexcept {
  const int cause = errno;
  for (std::size_t i = placed; i-- > 0;) {
    const OutputFile& file = files_[i];
    if (file.partial_.empty()) continue;
    if (had_former_[i])
      std::rename(file.partial_.c_str(), file.target_.c_str());
    else
      unlink(file.target_.c_str());
  }
  errno = cause;
}

void write_files(std::span<const FileText> files) { OutputFiles(files).finish(); }

}  // namespace files
