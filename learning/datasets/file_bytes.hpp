// The bytes of a data file, unpacked where the file is gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/result.hpp"

namespace learning::datasets {

/// A file's bytes. Gzip is recognised by its first two bytes (1f 8b), not by its name.
/// @param most_bytes  that the file may hold, and that it may unpack to
/// @param get  the hint where the file is missing
/// @returns at least one byte, or an Error for a file that is missing, a folder or a device, not readable,
///          empty, too large, or gzip that is damaged or (in a build without Boost.Iostreams) not supported
netmodels::Result<std::vector<std::uint8_t>> read_bytes(const std::filesystem::path& path,
                                                        std::size_t most_bytes, const std::string& get = {});

/// `folder/name`, or `folder/name.gz` where only that exists.
std::filesystem::path plain_or_packed(const std::filesystem::path& folder, const std::string& name);

}  // namespace learning::datasets
