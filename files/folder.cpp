// Listing by readdir(3).
#include "files/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <new>
#include <string_view>

namespace files {

namespace fs = std::filesystem;

std::vector<fs::path> paths_in(const fs::path& folder, std::size_t most) {
  struct Close {
    void operator()(DIR* opened) const { closedir(opened); }
  };
  const std::unique_ptr<DIR, Close> opened(opendir(folder.c_str()));
  if (opened == nullptr && errno == ENOMEM) throw std::bad_alloc();
  std::vector<fs::path> paths;
  while (opened != nullptr && paths.size() < most) {
    const dirent* entry = readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") paths.push_back(folder / name);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace files
