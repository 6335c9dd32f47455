// Parts of sweeps and the names of their files.
#include "sim/sweep/sweep_part.hpp"

#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> count_in(std::string_view text) {
  const auto number = files::read_integer(text);
  return number && *number >= 0 ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// Whether a name ends in `.part-K-of-N` before its extension.
bool names_part(const fs::path& file) {
  const std::string stem = file.stem().string();
  const auto begin = stem.rfind(".part-");
  if (begin == std::string::npos || file.extension().empty()) return false;
  const auto of = stem.find("-of-", begin);
  const auto digits = [&stem](std::size_t from, std::size_t to) {
    return from < to && std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(from),
                                    stem.begin() + static_cast<std::ptrdiff_t>(to),
                                    [](char letter) { return letter >= '0' && letter <= '9'; });
  };
  return of != std::string::npos && digits(begin + 6, of) && digits(of + 4, stem.size());
}

}  // namespace

std::size_t SweepPart::size(std::size_t points) const { return (points + count - number) / count; }

std::string SweepPart::text() const { return fmt::format("{}/{}", number, count); }

netmodels::Result<SweepPart> parse_part(std::string_view text) {
  const auto slash = text.find('/');
  const auto number = count_in(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : count_in(text.substr(slash + 1));
  if (number && count && *number >= 1 && *number <= *count && *count <= most_parts)
    return SweepPart{*number, *count};
  return netmodels::refuse("--part", fmt::format("`{}`", text),
                           fmt::format("accepted: K/N with K from 1 to N, and N up to {}", most_parts));
}

fs::path part_file(const fs::path& database, const SweepPart& part) {
  const std::string count = std::to_string(part.count);
  fs::path file = database;
  return file.replace_filename(fmt::format("{}.part-{:0{}}-of-{}{}", database.stem().string(), part.number,
                                           count.size(), count, database.extension().string()));
}

std::vector<fs::path> part_files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code unknown;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unknown))
    if (names_part(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace sim::sweep
