// Finds the shipped data from where the program itself lies.
#include "sim/data_folder.hpp"

#include <system_error>

namespace sim {

std::filesystem::path data_folder() {
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path installed =
      (program.parent_path() / GRADSIM_INSTALLED_DATA_DIR).lexically_normal();
  return std::filesystem::is_directory(installed, unknown) ? installed
                                                           : std::filesystem::path(GRADSIM_DATA_DIR);
}

}  // namespace sim
