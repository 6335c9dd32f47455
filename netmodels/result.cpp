// Makes all errors of refused input alike.
#include "netmodels/result.hpp"

#include <algorithm>
#include <iterator>
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
  for (const Error& other : more) line += "\n" + other.text();
  return printable(line);
}

Error merge_errors(std::vector<Error> errors) {
  std::vector<Error> all;
  const auto add = [&all](Error error) {
    const auto same = [&](const Error& one) { return one.where == error.where && one.what == error.what; };
    if (std::ranges::none_of(all, same)) all.push_back(std::move(error));
  };
  for (Error& error : errors) {
    std::vector<Error> others = std::move(error.more);
    error.more.clear();
    add(std::move(error));
    for (Error& other : others) add(std::move(other));
  }
  Error first = std::move(all.front());
  first.more.assign(std::make_move_iterator(all.begin() + 1), std::make_move_iterator(all.end()));
  return first;
}

}  // namespace netmodels
