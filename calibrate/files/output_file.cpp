// Results to a file that is whole or not there, or to standard output.
#include "calibrate/files/output_file.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace calibrate::files {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("`" + path.string() + "` cannot be written");
}

}  // namespace

bool is_standard_output(std::string_view path) { return path == "-" || path == "/dev/stdout"; }

bool is_same_file(const std::string& one, const std::string& other) {
  const auto whole = [](const std::string& path) { return fs::weakly_canonical(fs::absolute(path)); };
  return !is_standard_output(one) && !is_standard_output(other) && whole(one) == whole(other);
}

netmodels::Result<void> check_output(const std::string& path, const std::string& option) {
  std::error_code unknown;
  const fs::path target(path);
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
  std::error_code unknown;
  const fs::path target(path);
  if (fs::exists(target, unknown) && !fs::is_regular_file(target, unknown)) {
    write(target, text);
    return {};
  }
  const fs::path beside = path + "." + std::to_string(getpid()) + ".tmp";
  try {
    write(beside, text);
    fs::rename(beside, target);
  } catch (...) {
    fs::remove(beside, unknown);
    throw;
  }
  return {};
}

}  // namespace calibrate::files
