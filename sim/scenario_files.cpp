// Looking into folders, those of the shipped scenarios among them.
#include "sim/scenario_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "sim/data_folder.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code unread;  // a folder that cannot be read holds nothing for us
  for (const auto& entry : fs::directory_iterator(folder, unread)) {
    const fs::path ending = entry.path().extension();
    if (ending == ".yaml" || ending == ".yml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string named_scenario(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  std::error_code unknown;
  if (path.empty() || path.is_absolute() || fs::exists(path, unknown)) return name;
  const fs::path below = *path.begin() == "scenarios" ? path.lexically_relative("scenarios") : path;
  const fs::path shipped = data_folder() / below;
  const bool there = *below.begin() != ".." && fs::exists(shipped, unknown);
  return there ? shipped.string() : name;
}

netmodels::Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code unknown;  // what is not there is refused by name when it is read
    if (!fs::is_directory(name, unknown)) {
      files.push_back(name);
      continue;
    }
    const std::vector<std::string> found = files_of(name);
    if (found.empty())
      return netmodels::refuse(name, "no `*.yaml` lies in this folder",
                               "name a scenario, or a folder of scenarios");
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace sim
