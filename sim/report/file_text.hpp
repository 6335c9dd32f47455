// A whole file as one text.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sim::report {

/// @returns every byte of the file; nothing where it is not there or cannot be read, as a folder cannot
std::optional<std::string> file_text(const std::filesystem::path& path);

}  // namespace sim::report
