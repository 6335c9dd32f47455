// Contents of a folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <vector>

namespace files {

/// Entries directly in `folder`, as paths that begin with it, sorted by name. Empty where it is missing, not
/// a folder, or may not be read.
///
/// std::filesystem::directory_iterator of libstdc++ 12 ends the program where memory runs out: it keeps its
/// entries in functions that may not throw.
/// @param most  where there are more, this many of them
/// @throws std::bad_alloc where there is no memory for it
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder,
                                            std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace files
