// Results to a file that is whole or not there, or to standard output.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace calibrate::files {

/// Writes the text beside the file and renames it, so that no reader sees half of it. `-` and /dev/stdout
/// mean `standard_output`; any other device is written to directly.
/// @returns an Error where `path` is a folder or its folder does not exist
/// @throws std::runtime_error where the system cannot write (full disk, no permission)
netmodels::Result<void> write_output(const std::string& path, std::string_view text,
                                     std::ostream& standard_output);

}  // namespace calibrate::files
