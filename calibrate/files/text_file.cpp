// Reading of text files, and the splitting of their lines.
#include "calibrate/files/text_file.hpp"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace calibrate::files {
namespace {

using netmodels::refuse;
namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r";
constexpr std::uintmax_t most_bytes = 256'000'000;

/// Bytes of the UTF-8 sequence that begins the text; 0 where there is none (overlong forms, surrogates and
/// values above U+10FFFF included).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

std::string place_after(std::string_view source, std::string_view before) {
  int line = 1;
  int column = 1;
  for (const char c : before) {
    column = c == '\n' ? 1 : column + 1;
    if (c == '\n') ++line;
  }
  return place(source, line, column);
}

std::string without_mark(std::string text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

}  // namespace

std::string place(std::string_view source, int line, int column) {
  return std::string(source) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

netmodels::Result<void> check_text(std::string_view text, std::string_view source) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    const std::string_view before = text.substr(0, i);
    if (length == 0) return refuse(place_after(source, before), "not valid UTF-8", "save the file in UTF-8");
    if (text[i] == '\0') return refuse(place_after(source, before), "the file is binary", "give a text file");
    i += length;
  }
  return {};
}

netmodels::Result<std::string> read_text(const std::string& path) {
  const fs::path file_path = path == "-" ? "/dev/stdin" : path;
  std::error_code failed;
  const fs::file_status status = fs::status(file_path, failed);
  if (!fs::exists(status)) return refuse(path, "file not found");
  if (fs::is_directory(status)) return refuse(path, "this is a folder", "name a file in it");
  if (fs::is_regular_file(status) && fs::file_size(file_path, failed) > most_bytes) {
    return refuse(path, "the file is too large for a log of measurements", "accepted: at most 256 MB");
  }
  std::ifstream file(file_path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) return refuse(path, "the file cannot be read", "check that you are allowed to read it");
  if (const auto checked = check_text(text, path); !checked) return tl::unexpected(checked.error());
  return without_mark(std::move(text));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  std::size_t begin = line.find_first_not_of(blanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = line.find_first_of(blanks, begin);
    words.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    begin = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
  }
  return words;
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    const std::string_view cell = line.substr(0, comma);
    const std::string_view inside = trimmed(cell);
    cells.push_back(inside.empty() ? cell.substr(0, 0) : inside);
    if (comma == std::string_view::npos) return cells;
    line = line.substr(comma + 1);
  }
}

std::string_view without_mpirun_prefix(std::string_view line) {
  if (!line.starts_with('[')) return line;
  for (const std::string_view mark : {"]<stdout>:", "]<stderr>:"}) {
    const std::size_t found = line.find(mark);
    if (found != std::string_view::npos) return line.substr(found + mark.size());
  }
  return line;
}

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<long long> read_integer(std::string_view text) {
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace calibrate::files
