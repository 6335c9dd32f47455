// Finds data files by name or by path.
#include "sim/scenario/named_file.hpp"

#include <algorithm>
#include <system_error>

#include "netmodels/nearest.hpp"
#include "sim/scenario/text_file.hpp"

namespace sim::scenario {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".yaml";

}  // namespace

bool is_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(ending);
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ending) names.push_back(entry->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path folder_of(const Value& value) {
  return value.origin().position() ? fs::path(value.origin().source()).parent_path() : fs::path();
}

netmodels::Result<fs::path> find_named(const Value& value, const fs::path& folder, const std::string& what) {
  const std::string& text = value.text();
  if (is_path(text)) return find_file(text, {folder_of(value)});
  const std::vector<std::string> names = names_in(folder);
  if (std::ranges::find(names, text) != names.end()) return folder / (text + std::string(ending));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return netmodels::refuse(value.origin().text(), "`" + text + "` is no known " + what,
                           netmodels::accepted_names(text, known));
}

}  // namespace sim::scenario
