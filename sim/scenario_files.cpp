// Finds scenarios and the folder of data.
#include "sim/scenario_files.hpp"

#include <filesystem>
#include <system_error>

#include "files/folder.hpp"

namespace sim {

// Finds the shipped data from the path of the program.

std::filesystem::path data_folder() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path installed =
      (program.parent_path() / GRADSIM_INSTALLED_DATA_DIR).lexically_normal();
  return std::filesystem::is_directory(installed, unknown) ? installed
                                                           : std::filesystem::path(GRADSIM_DATA_DIR);
}

// Looking into folders, those of the shipped scenarios among them.

namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::path& path : files::paths_in(folder)) {
    const fs::path ending = path.extension();
    if (ending == ".yaml" || ending == ".yml") files.push_back(path.string());
  }
  return files;
}

}  // namespace

std::string named_scenario(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  std::error_code unknown;
  if (path.empty() || path.is_absolute() || fs::exists(path, unknown)) return name;
  const fs::path below = *path.begin() == "scenarios" ? path.lexically_relative("scenarios") : path;
  if (*below.begin() == "..") return name;
  for (const char* ending : {"", ".yaml"}) {
    const fs::path shipped = data_folder() / (below.string() + ending);
    if (fs::exists(shipped, unknown)) return shipped.string();
  }
  return name;
}

netmodels::Result<std::vector<std::string>> scenario_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code unknown;  // a missing file is reported when it is read
    if (!fs::is_directory(name, unknown)) {
      files.push_back(name);
      continue;
    }
    const std::vector<std::string> found = files_of(name);
    if (found.empty())
      return netmodels::refuse(name, "no `*.yaml` in this folder",
                               "name a scenario, or a folder of scenarios");
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace sim
