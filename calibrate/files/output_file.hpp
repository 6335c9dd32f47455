// Results to a file that is whole or not there, or to standard output.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace calibrate::files {

/// Whether a path means standard output: - or /dev/stdout.
bool is_standard_output(std::string_view path);

/// Whether two paths lead to one file, which need not be there; standard output is none.
bool is_same_file(const std::string& one, const std::string& other);

/// Whether `write_output` would fail: to be called before long work.
/// @param option  that gave the path, named in the error
/// @returns an Error where `path` is a folder or its folder does not exist
netmodels::Result<void> check_output(const std::string& path, const std::string& option = "-o");

/// Writes the text next to the file and renames it, so that no reader sees half of it. Where
/// `is_standard_output`, it goes there; any other device is written to directly.
/// @returns an Error where `path` is a folder or its folder does not exist
/// @throws std::runtime_error where the system cannot write (full disk, no permission)
netmodels::Result<void> write_output(const std::string& path, std::string_view text,
                                     std::ostream& standard_output);

}  // namespace calibrate::files
