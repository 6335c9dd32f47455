// Reads both ends of a range and their unit.
#include "sim/scenario/written_range.hpp"

#include <cctype>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "sim/language/reader.hpp"

namespace sim::scenario {
namespace {

using settings::Type;

/// A number at the begin of a text, and what follows it.
struct LeadingNumber {
  double value;
  std::string_view rest;
};

std::optional<LeadingNumber> leading_number(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  // A point that another follows belongs to the separator of `1..10`.
  std::size_t length = 0;
  while (length < text.size() && (std::isdigit(static_cast<unsigned char>(text[length])) != 0 ||
                                  (text[length] == '.' && !text.substr(length + 1).starts_with('.') &&
                                   length > 0 && text[length - 1] != '.')))
    ++length;
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + length, value);
  if (failed != std::errc() || length == 0) return std::nullopt;
  return LeadingNumber{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// A number with its unit, if any.
std::string with_unit(double value, std::string_view unit) {
  return unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, unit);
}

/// Whether a value of the type may be written so.
bool is_value(const std::string& text, const Type& type) {
  return type.kind == Type::Kind::number ? language::parse_number(text, true).has_value()
                                         : type.parse(text).has_value();
}

}  // namespace

std::optional<std::string> written_range(std::string_view text, const Type& type) {
  const auto low = leading_number(text);
  if (!low) return std::nullopt;
  for (const std::string_view separator : {"..", "\u2013", "-", "~", " to "}) {
    const std::size_t at = low->rest.find(separator);
    if (at == std::string_view::npos) continue;
    const std::string_view first_unit = without_spaces(low->rest.substr(0, at));
    const auto high = leading_number(low->rest.substr(at + separator.size()));
    if (!high || high->value <= low->value) continue;
    const std::string_view unit = without_spaces(high->rest);
    if (!first_unit.empty() && first_unit != unit) continue;
    const std::string from = with_unit(low->value, unit);
    const std::string to = with_unit(high->value, unit);
    if (!is_value(from, type) || !is_value(to, type)) continue;
    return fmt::format("{{value: {}, range: [{}, {}]}}", with_unit((low->value + high->value) / 2, unit),
                       from, to);
  }
  return std::nullopt;
}

}  // namespace sim::scenario
