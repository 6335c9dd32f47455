// The keys of other programs' files: which values are harmless, which paths a row names.
#include "files/foreign_keys.hpp"

#include <algorithm>

#include "files/text_file.hpp"

namespace files {
namespace {

/// Takes the text up to the mark, and the mark, off the front.
std::string_view take_part(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool is_equal(std::string_view value, std::string_view other) {
  if (value == other) return true;
  const auto number = read_number(value);
  const auto wanted = read_number(other);
  return number && wanted && *number == *wanted;
}

}  // namespace

bool is_harmless(std::string_view value, std::string_view harmless) {
  while (!harmless.empty()) {
    if (is_equal(value, take_part(harmless, '|'))) return true;
  }
  return false;
}

std::string print_markdown(std::span<const ForeignKey> table) {
  std::string text = "| key | use | becomes, or why | without effect at |\n|---|---|---|---|\n";
  for (const ForeignKey& row : table) {
    std::string harmless;
    for (std::string_view rest = row.harmless; !rest.empty();)
      harmless += (harmless.empty() ? "`" : ", `") + std::string(take_part(rest, '|')) + "`";
    text += "| `" + std::string(row.key) + "` | " + std::string(to_string(row.use)) + " | " +
            std::string(row.text) + " | " + harmless + " |\n";
  }
  return text;
}

}  // namespace files
