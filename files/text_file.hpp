// Lines, words and numbers of a text, with their places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace files {

/// A piece of a line.
struct Word {
  std::string_view text;
  int column = 1;  ///< column of its first byte, from 1
};

/// `source:line:column`.
std::string place(std::string_view source, int line, int column);

/// The same of a byte of the text.
/// @param byte  counted from 1, as parsers of JSON count; beyond the end counts as the end
std::string place_of_byte(std::string_view source, std::string_view text, std::size_t byte);

/// The lines of a text, without their ends (`\n`, `\r\n`).
std::vector<std::string_view> lines_of(std::string_view text);

/// The words of a line, parted by blanks and tabulators.
std::vector<Word> words_of(std::string_view line);

std::string_view trimmed(std::string_view text);

/// The last part of a path: the source as a file states it, without this machine's folders.
std::string file_name(const std::string& path);

/// The comma-separated cells of a line without surrounding blanks; each is a view into the line.
std::vector<std::string_view> cells_of(std::string_view line);

/// The line after mpirun's `[1,0]<stdout>:`, where it begins so.
std::string_view without_mpirun_prefix(std::string_view line);

/// The whole text as a number, `nan` and `inf` included; nothing where it is none.
std::optional<double> read_number(std::string_view text);

/// The whole text as a whole number; nothing where it is none or too large.
std::optional<long long> read_integer(std::string_view text);

}  // namespace files
