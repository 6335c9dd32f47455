// Walks a scenario for whole paths of files.
#include "sim/sweep/named_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "sim/sweep/text_hash.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;
using scenario::Value;

void collect(const Value& value, std::set<fs::path>& files) {
  if (value.is_scalar()) {
    const fs::path path = value.text();
    std::error_code unknown;
    if (path.is_absolute() && fs::is_regular_file(path, unknown)) files.insert(path);
  }
  if (value.is_map())
    for (const scenario::Member& member : value.members()) collect(member.value, files);
  if (value.is_list())
    for (const Value& item : value.items()) collect(item, files);
}

}  // namespace

std::string contents_of_files(const Value& resolved) {
  std::set<fs::path> files;
  collect(resolved, files);
  std::string lines;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    lines += fmt::format("# {}: {} bytes, {}\n", path.string(), text.size(), hash_of(text));
  }
  return lines;
}

}  // namespace sim::sweep
