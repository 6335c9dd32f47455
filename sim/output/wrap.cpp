// Long sentences, broken at blanks.
#include "sim/output/wrap.hpp"

#include <algorithm>

namespace sim::output {

std::string wrap(std::string_view text) {
  constexpr std::size_t width = 110;
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

}  // namespace sim::output
