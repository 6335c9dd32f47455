// The whole text of a file, refused where it is no text that a person could have written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::scenario {

/// @returns the text, or an Error for a file that is missing (naming the nearest one beside it), a directory
/// or a
///          device, not readable, larger than `most_bytes`, binary, or not UTF-8
netmodels::Result<std::string> read_text(const std::filesystem::path& path, std::size_t most_bytes);

/// @returns an Error with the position of the first byte that is a control character or not UTF-8
netmodels::Result<void> check_text(std::string_view text, const std::string& source);

/// "did you mean `PATH`?" with the file of the same folder whose name is nearest, or an empty text.
std::string nearest_file(const std::filesystem::path& path);

/// The first of `folders` in which the relative `path` exists; `path` itself where it is absolute or in none.
std::filesystem::path find_file(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& folders);

}  // namespace sim::scenario
