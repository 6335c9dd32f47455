// The one way in which a refusal is spelled.
#include "netmodels/result.hpp"

#include <string_view>

namespace netmodels {

namespace {

/// Names of files may hold anything: what a terminal would obey is shown as \xNN.
std::string printable(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool low = (byte(i) < 0x20 && text[i] != '\n' && text[i] != '\t') || byte(i) == 0x7F;
    const bool high =
        byte(i) == 0xC2 && i + 1 < text.size() && (byte(i + 1) & 0xE0U) == 0x80;  // U+0080 to U+009F
    if (!low && !high) {
      shown += text[i];
      continue;
    }
    if (high) ++i;
    shown += "\\x";
    shown += digits[byte(i) >> 4U];
    shown += digits[byte(i) & 0xFU];
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
