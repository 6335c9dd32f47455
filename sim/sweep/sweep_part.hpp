// One of several parts of a sweep, each with a file of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::sweep {

/// The points NUMBER - 1, NUMBER - 1 + COUNT, ... of a sweep: neighbours, which cost about as much, go to
/// different parts.
struct SweepPart {
  std::size_t number = 1;  ///< in [1, count]
  std::size_t count = 1;   ///< 1: the whole sweep

  bool operator==(const SweepPart&) const = default;
  [[nodiscard]] bool is_whole() const { return count == 1; }
  [[nodiscard]] bool holds(std::size_t point) const { return point % count == number - 1; }
  /// The number of its points, of a sweep with this many.
  [[nodiscard]] std::size_t size(std::size_t points) const;
  /// "3/100".
  [[nodiscard]] std::string text() const;
};

/// The largest number of parts.
inline constexpr std::size_t most_parts = 100'000;

/// Reads `K/N`.
/// @returns an Error at `--part` for a text without two numbers, a K outside of 1 to N and too many parts
netmodels::Result<SweepPart> parse_part(std::string_view text);

/// File of a part beside the file of the whole sweep: `sweep.part-003-of-100.db` for `sweep.db`.
std::filesystem::path part_file(const std::filesystem::path& database, const SweepPart& part);

/// Files in a folder that are named as `part_file` names them, sorted.
std::vector<std::filesystem::path> part_files_in(const std::filesystem::path& folder);

}  // namespace sim::sweep
