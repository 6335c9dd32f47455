// Finds files that a scenario names.
#include "sim/language/text_file.hpp"

#include <algorithm>
#include <system_error>

#include "files/folder.hpp"
#include "netmodels/nearest.hpp"

namespace sim::language {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".yaml";

/// `Llama-3.1-8B` of `meta-llama/Llama-3.1-8B`, as model hubs name models; empty for any other text.
std::string name_of_repository(const std::string& text) {
  const std::size_t slash = text.find('/');
  const bool is_file = text.ends_with(ending) || text.starts_with('.') || text.starts_with('/');
  if (is_file || slash == std::string::npos || text.find('/', slash + 1) != std::string::npos) return {};
  return text.substr(slash + 1);
}

}  // namespace

fs::path find_file(const fs::path& path, const std::vector<fs::path>& folders) {
  if (path.is_absolute()) return path;
  for (const fs::path& folder : folders) {
    std::error_code failed;
    const fs::path candidate = (folder / path).lexically_normal();
    if (fs::exists(candidate, failed)) return candidate;
  }
  return path;
}

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(ending);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : files::paths_in(folder)) {
    if (path.extension() == ending) names.push_back(path.stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path folder_of(const Value& value) {
  return value.origin().position() ? fs::path(value.origin().source()).parent_path() : fs::path();
}

fs::path find_file_of(const Value& map, std::string_view key) {
  const Value& value = *map.find(key);
  return find_file(value.text(), {folder_of(value), folder_of(map)});
}

netmodels::Result<fs::path> find_named(const Value& value, const fs::path& folder, const std::string& what) {
  const std::string& text = value.text();
  const std::vector<std::string> names = names_in(folder);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string name = name_of_repository(text);
  if (is_path(text)) {
    const fs::path file = find_file(text, {folder_of(value)});
    std::error_code failed;
    if (name.empty() || fs::exists(file, failed) || !netmodels::nearest(name, known)) return file;
  }
  if (std::ranges::find(names, text) != names.end()) return folder / (text + std::string(ending));
  const std::string& meant = name.empty() ? text : name;
  return netmodels::refuse(value.origin().text(), "unknown " + what + " `" + text + "`",
                           netmodels::accepted_names(meant, known), netmodels::nearest_change(meant, known));
}

}  // namespace sim::language
