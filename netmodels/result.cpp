// The one way in which a refusal is spelled.
#include "netmodels/result.hpp"

#include <string_view>

namespace netmodels {

namespace {

/// Names of files may hold anything: what a terminal would obey is shown as \xNN.
std::string printable(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool second =
        i + 1 < text.size() && byte == 0xC2 && (static_cast<unsigned char>(text[i + 1]) & 0xE0U) == 0x80;
    if ((byte >= 0x20 && byte != 0x7F && !second) || byte == '\n' ||
        byte == '\t') {  // second: U+0080 to U+009F
      shown += text[i];
      continue;
    }
    shown += "\\x";
    shown += digits[byte >> 4U];
    shown += digits[byte & 0xFU];
  }
  return shown;
}

}  // namespace

std::string Error::text() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) line += "; " + hint;
  return printable(line);
}

}  // namespace netmodels
