// Input files: regular ones of bounded size, read as bytes or as plain text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "netmodels/result.hpp"

namespace files {

/// Limits of what a reader accepts.
struct InputRules {
  std::size_t most_bytes = 256'000'000;
  std::string get = {};  ///< the hint for a file that is missing; empty: `nearest_file`
};

/// The bytes of a file. Links are followed. A FIFO or a device is refused without waiting for it, so that no
/// name can make a program hang.
/// @returns every byte, or an Error at `path` for a file that is missing, a folder, a device or a FIFO, not
///          readable, or larger than `rules.most_bytes`
netmodels::Result<std::string> read_bytes(const std::filesystem::path& path, const InputRules& rules);

/// The text of a file, without a byte order mark.
/// @returns the text, or the errors of `read_bytes` and `check_text`
netmodels::Result<std::string> read_text(const std::filesystem::path& path, const InputRules& rules = {});

/// The text of a file, or of standard input where the path is `-` or /dev/stdin.
/// @returns as `read_text` with the default rules
netmodels::Result<std::string> read_input(const std::string& path);

/// Whether standard input is a file: `read_input` leaves its place as it is, so that it can be read again, by
/// forked processes, too.
bool is_input_a_file();

/// As `read_input`, for what a terminal showed: codes that colour or move (ECMA-48) are taken out first.
netmodels::Result<std::string> read_terminal_text(const std::string& path);

/// The text without codes of a terminal: from ESC to the letter that ends them.
std::string without_terminal_codes(std::string_view text);

/// Whether `read_bytes` would read the file: for readers that stream it.
netmodels::Result<void> check_input(const std::filesystem::path& path, const InputRules& rules);

/// Whether a text is plain: valid UTF-8 (RFC 3629), without control characters (U+0000 to U+001F but for
/// tabulator and line ends, U+007F to U+009F) and without marks that turn the direction of writing (U+202A to
/// U+202E, U+2066 to U+2069). Those would let a file write to the terminal that shows it, or look unlike
/// what it says.
/// @param source  named in the error, as `source:line:column`
netmodels::Result<void> check_text(std::string_view text, std::string_view source);

/// The error of a file that the system does not let us read.
/// @param cause  errno, taken right after the call that failed: later calls change it
netmodels::Error unreadable_file(const std::string& name, int cause);

/// "did you mean `PATH`?" with the file of the same folder whose name is nearest, else "check the path".
std::string nearest_file(const std::filesystem::path& path);

}  // namespace files
