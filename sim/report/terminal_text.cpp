// Text for terminals: chooses styles, breaks long sentences.
#include "sim/report/terminal_text.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace sim::report {
namespace {

constexpr std::string_view bold = "\033[1m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view plain = "\033[0m";

/// Whether two words of the line are two or more blanks apart.
bool has_columns(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line.find("  ", first) != std::string_view::npos;
}

std::string styled(std::string_view text, std::string_view escape) {
  return std::string(escape) + std::string(text) + std::string(plain);
}

/// Every name between backquotes, and every MISSED.
std::string style_words(std::string_view line) {
  constexpr std::string_view missed = "MISSED";
  std::string result;
  while (!line.empty()) {
    const std::size_t end = line.front() == '`' ? line.find('`', 1) : std::string_view::npos;
    if (end != std::string_view::npos) {
      result += styled(line.substr(0, end + 1), bold);
      line.remove_prefix(end + 1);
    } else if (line.starts_with(missed)) {
      result += styled(missed, red);
      line.remove_prefix(missed.size());
    } else {
      result += line.front();
      line.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace

std::string style(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    const bool columns = has_columns(line);
    result += columns && !in_table ? styled(line, bold) : style_words(line);
    result += '\n';
    in_table = columns;
  }
  return result;
}

std::string wrap(std::string_view text, std::size_t width) {
  std::string lines;
  std::string line;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool begun = line.find_first_not_of(' ') != std::string::npos;
    if (begun && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line = "  ";
    } else if (begun) {
      line += ' ';
    }
    line += word;
  }
  return lines + line + "\n";
}

}  // namespace sim::report
