// Files that a fuzz target's reader opens by name.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "netmodels/result.hpp"
#include "tests/fuzz/demand.hpp"

namespace fuzz {

/// A file of this process with these bytes; the folder goes with the process.
class WrittenInput {
 public:
  /// @param name  of the file, by whose ending readers may know what it is
  static std::filesystem::path put(const char* name, std::string_view bytes) {
    static const WrittenInput kept;
    std::filesystem::path path = kept.folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  ~WrittenInput() {
    if (getpid() == owner_) std::filesystem::remove_all(folder_);  // and not in a child of it
  }
  WrittenInput(const WrittenInput&) = delete;
  WrittenInput& operator=(const WrittenInput&) = delete;

 private:
  WrittenInput() : folder_(memory_folder() / ("gradsim_fuzz." + std::to_string(getpid()))), owner_(getpid()) {
    std::filesystem::create_directories(folder_);
  }
  /// Folder where files cost no disk.
  static std::filesystem::path memory_folder() {
    return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
  }
  std::filesystem::path folder_;
  pid_t owner_;
};

/// Whether a result was refused, which needs a reason.
template <typename T>
bool is_refused(const netmodels::Result<T>& result) {
  if (!result) demand(!result.error().what.empty());
  return !result;
}

}  // namespace fuzz
