// Finding what deserves a colour.
#include "sim/output/paint.hpp"

#include <sstream>
#include <string_view>

namespace sim::output {
namespace {

constexpr std::string_view bold = "\033[1m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view plain = "\033[0m";

/// Whether two words of the line stand two or more blanks apart.
bool has_columns(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && line.find("  ", first) != std::string_view::npos;
}

std::string painted(std::string_view text, std::string_view colour) {
  return std::string(colour) + std::string(text) + std::string(plain);
}

/// Every name between backquotes, and every MISSED.
std::string paint_words(std::string_view line) {
  constexpr std::string_view missed = "MISSED";
  std::string result;
  while (!line.empty()) {
    const std::size_t end = line.front() == '`' ? line.find('`', 1) : std::string_view::npos;
    if (end != std::string_view::npos) {
      result += painted(line.substr(0, end + 1), bold);
      line.remove_prefix(end + 1);
    } else if (line.starts_with(missed)) {
      result += painted(missed, red);
      line.remove_prefix(missed.size());
    } else {
      result += line.front();
      line.remove_prefix(1);
    }
  }
  return result;
}

}  // namespace

std::string paint(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  bool in_table = false;
  for (std::string line; std::getline(lines, line);) {
    const bool columns = has_columns(line);
    result += columns && !in_table ? painted(line, bold) : paint_words(line);
    result += '\n';
    in_table = columns;
  }
  return result;
}

}  // namespace sim::output
