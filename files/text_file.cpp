// Splits texts into lines, words and numbers.
#include "files/text_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace files {
namespace {

constexpr std::string_view blanks = " \t\r";

}  // namespace

std::string place(std::string_view source, int line, int column) {
  return std::string(source) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string place_of_byte(std::string_view source, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t end = before.rfind('\n');
  const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
  return place(source, static_cast<int>(std::ranges::count(before, '\n')) + 1,
               static_cast<int>(before.size() - begin) + 1);
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

}  // namespace files
