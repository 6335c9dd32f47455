// Files that a scenario names: found by path or by name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

/// The first of `folders` in which the relative `path` exists; `path` itself where it is absolute or in none.
std::filesystem::path find_file(const std::filesystem::path& path,
                                const std::vector<std::filesystem::path>& folders);

// Data files that a scenario mentions by name, such as a workload or a device.

/// Names of the YAML files in a folder, without their ending, sorted; none where there is no such folder.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Whether a text is meant as a path (it holds `/` or ends in `.yaml`) and not as a name.
bool is_path(std::string_view text);

/// The folder of the file in which the value was written; empty for values from the command line.
std::filesystem::path folder_of(const Value& value);

/// The file that a key of a map names: sought beside the file that says so (from where the program runs, for
/// the command line), then beside that of the map.
std::filesystem::path find_file_of(const Value& map, std::string_view key);

/// The file that a text means: a path (it holds `/` or ends in `.yaml`), sought next to the file in which it
/// was written and then from where the program runs; or else the name of a file in `folder`.
/// @param what  "workload" or "device", for messages
/// @returns the path, or an Error that names the nearest known name
netmodels::Result<std::filesystem::path> find_named(const Value& value, const std::filesystem::path& folder,
                                                    const std::string& what);

}  // namespace sim::language
