// Converts one written value to a number, a word, a quantity or a moment, or returns an Error.
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "sim/language/reader.hpp"

namespace sim::language {
namespace {

using netmodels::refuse;
using netmodels::Result;
using settings::Moment;

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;  // a wrong value may be a whole paragraph
  return "`" + std::string(text.substr(0, longest)) + (text.size() > longest ? "..." : "") + "`";
}

/// The text of a scalar that is not in quotes.
Result<std::string_view> unquoted(const Field& field, std::string_view expected) {
  const auto text = scalar_text(field, expected);
  if (!text || !field.value.quoted()) return text;
  return refuse_field(field, in_quotes(*text) + " is quoted text; expected " + std::string(expected),
                      "leave out the quotes", std::string(*text));
}

/// The whole text as a decimal number; "nan", "inf" and hexadecimal forms are none.
std::optional<double> decimal(std::string_view text) {
  const bool starts =
      !text.empty() && (text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!starts || digits.empty() || (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9')))
    return std::nullopt;
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// A value that the key accepts, as a person writes it; empty where it states none.
std::string example_of(const settings::Key& key) {
  return std::string(key.example.empty() && key.fallback ? *key.fallback : key.example);
}

/// The word that is nearest to a wrong one, else one that the key accepts.
std::string meant_word(const settings::Key& key, std::string_view text,
                       std::span<const std::string_view> names) {
  if (const auto near = netmodels::nearest(text, names)) return std::string(*near);
  const std::string example = example_of(key);
  return example.empty() ? std::string(names.front()) : example;
}

}  // namespace

tl::unexpected<netmodels::Error> refuse_field(const Field& field, std::string what, std::string hint,
                                              std::string remedy) {
  if (remedy.empty()) remedy = example_of(field.key);
  std::vector<netmodels::Change> changes;
  if (!remedy.empty() || field.key.need == settings::Need::optional)
    changes.push_back({field.path, std::move(remedy)});
  return refuse(field.value.origin().text(), "`" + field.path + "`: " + std::move(what), std::move(hint),
                std::move(changes));
}

Result<std::string_view> scalar_text(const Field& field, std::string_view expected) {
  if (field.value.is_scalar()) return std::string_view(field.value.text());
  return refuse_field(field,
                      "expected " + std::string(expected) + ", found " + std::string(field.value.kind_text()),
                      field.key.example.empty()
                          ? ""
                          : fmt::format("write for example `{}: {}`", field.key.name, field.key.example),
                      std::string(field.key.example));
}

Result<double> parse_number(std::string_view text, bool share) {
  std::string_view number = trim(text);
  const bool percent = share && number.ends_with('%');
  if (percent) number = trim(number.substr(0, number.size() - 1));
  const auto value = decimal(number);
  if (!value) {
    return refuse("", in_quotes(trim(text)) + " is not a number",
                  share ? "write a number such as `0.02`, or a share such as `2 %`"
                        : "write a plain number, without a unit");
  }
  return percent ? *value / 100 : *value;
}

/// "above 0 and at most 1".
/// @param min, max  bounds as the key writes them
static std::string range_text(const settings::Bounds& bounds, const std::string& min,
                              const std::string& max) {
  std::string range = bounds.min ? (bounds.open_below ? "above " : "at least ") + min : "";
  if (!bounds.max) return range;
  return range + (range.empty() ? "" : " and ") + (bounds.open_above ? "below " : "at most ") + max;
}

static bool is_below(double value, const settings::Bounds& bounds) {
  return bounds.min && (bounds.open_below ? value <= *bounds.min : value < *bounds.min);
}

static bool is_above(double value, const settings::Bounds& bounds) {
  return bounds.max && (bounds.open_above ? value >= *bounds.max : value > *bounds.max);
}

Result<void> check_bounds(const Field& field, double value, const std::string& min, const std::string& max) {
  const settings::Bounds& bounds = field.key.bounds;
  const bool low = is_below(value, bounds);
  if (!low && !is_above(value, bounds)) return {};
  const bool excluded = low ? bounds.open_below : bounds.open_above;
  return refuse_field(field, in_quotes(field.value.text()) + (low ? " is too small" : " is too large"),
                      "accepted: " + range_text(bounds, min, max),
                      excluded ? example_of(field.key)
                      : low    ? min
                               : max);
}

Result<bool> read_bool(const Field& field) {
  GRADSIM_TRY(text, unquoted(field, "true or false"));
  if (*text == "true") return true;
  if (*text == "false") return false;
  return refuse_field(field, in_quotes(*text) + " is not a boolean", "write `true` or `false`", "true");
}

Result<double> read_number(const Field& field) {
  GRADSIM_TRY(text, unquoted(field, "a number"));
  const auto value = parse_number(*text, field.key.share);
  if (!value) return refuse_field(field, value.error().what, value.error().hint, example_of(field.key));
  const settings::Bounds& bounds = field.key.bounds;
  GRADSIM_TRY(inside, check_bounds(field, *value, fmt::format("{}", bounds.min.value_or(0)),
                                   fmt::format("{}", bounds.max.value_or(0))));
  return *value;
}

/// `25M`, `1e9` or `4 k` in digits; nothing where it is no whole number that way either.
std::optional<std::string> in_digits(std::string_view text, std::int64_t most) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  double factor = 1;
  for (const auto& [name, times] : {std::pair{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"G", 1e9}})
    if (unit == name) factor = times;
  if (factor == 1 && !unit.empty()) return std::nullopt;
  const double whole = std::round(value * factor);
  constexpr double rounding = 1e-9;
  const bool is_whole = std::abs(whole - value * factor) <= rounding * whole;
  if (!is_whole || whole < 1 || whole > static_cast<double>(most)) return std::nullopt;
  return fmt::format("{:.0f}", whole);
}

Result<std::int64_t> read_integer(const Field& field, std::int64_t most) {
  GRADSIM_TRY(text, unquoted(field, "a whole number"));
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool whole = end == text->data() + text->size() && !text->empty();
  if (whole && failed == std::errc::result_out_of_range)
    return refuse_field(field, in_quotes(*text) + " is too large", fmt::format("accepted: at most {}", most),
                        std::to_string(most));
  if (!whole || failed != std::errc()) {
    if (const auto digits = in_digits(*text, most))
      return refuse_field(field, in_quotes(*text) + " is not a whole number",
                          fmt::format("write digits only: `{}`", *digits), *digits);
    return refuse_field(
        field, in_quotes(*text) + " is not a whole number",
        field.key.hint.empty() ? "write digits only, such as `50000`" : std::string(field.key.hint),
        example_of(field.key));
  }
  const settings::Bounds& bounds = field.key.bounds;
  GRADSIM_TRY(inside,
              check_bounds(field, static_cast<double>(value), fmt::format("{:.0f}", bounds.min.value_or(0)),
                           fmt::format("{:.0f}", bounds.max.value_or(0))));
  if (value > most)
    return refuse_field(field, in_quotes(*text) + " is too large", fmt::format("accepted: at most {}", most),
                        std::to_string(most));
  return value;
}

Result<std::string> read_text_value(const Field& field) {
  GRADSIM_TRY(text, scalar_text(field, "a text"));
  if (trim(*text).empty())
    return refuse_field(field, "the text is empty", fmt::format("write for example `{}`", field.key.example),
                        example_of(field.key));
  return std::string(*text);
}

Result<Moment> read_moment(const Field& field) {
  GRADSIM_TRY(text, scalar_text(field, "a time, a step or an epoch"));
  const std::string hint = "write `epoch 12`, `step 100` or a time such as `30 s`";
  for (const auto& [word, unit] :
       {std::pair("epoch", Moment::Unit::epoch), std::pair("step", Moment::Unit::step)}) {
    if (!text->starts_with(word)) continue;
    const auto value = decimal(trim(text->substr(std::string_view(word).size())));
    if (!value || *value < 0)
      return refuse_field(
          field, in_quotes(*text) + " is not " + (unit == Moment::Unit::step ? "a step" : "an epoch"), hint,
          "step 100");
    if (unit == Moment::Unit::step && *value != std::floor(*value))
      return refuse_field(field, in_quotes(*text) + " is not a whole step", hint, "step 100");
    return Moment{unit, *value};
  }
  const auto time = netmodels::parse<netmodels::Seconds>(*text);
  if (!time) return refuse_field(field, time.error().what, hint, "step 100");
  return Moment{Moment::Unit::time, time->count};
}

Result<std::size_t> read_word(const Field& field, std::span<const std::string_view> names) {
  GRADSIM_TRY(text, scalar_text(field, "one of " + netmodels::join(names)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == *text) return i;
  }
  return refuse_field(
      field, "unknown value " + in_quotes(*text),
      field.key.hint.empty() ? netmodels::accepted_names(*text, names) : std::string(field.key.hint),
      meant_word(field.key, *text, names));
}

}  // namespace sim::language
