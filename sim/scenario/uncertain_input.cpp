// Finds uncertain values by the types of keys, and draws from their distributions.
#include "sim/scenario/uncertain_input.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>

#include "sim/language/reader.hpp"

namespace sim::scenario {
namespace {

using netmodels::refuse;
using netmodels::Result;
using settings::Key;
using settings::Type;

double below(double value, double mean, double sd) {
  if (std::isinf(value)) return value < 0 ? 0 : 1;
  return boost::math::cdf(boost::math::normal(mean, sd), value);
}

double normal_quantile(const UncertainInput& input, double share) {
  const double first = below(input.low, input.stated, input.sd);
  const double last = below(input.high, input.stated, input.sd);
  constexpr double least = 1e-300;  // a quantile at 0 is infinite
  const double at = std::max(least, first + share * (last - first));
  const double value = boost::math::quantile(boost::math::normal(input.stated, input.sd), at);
  return std::clamp(value, input.low, input.high);
}

// Reads one uncertain value.

/// How a value of a key is read and written: a quantity with its unit, or a plain number.
struct ValueText {
  std::string_view units = {};  ///< empty: it has none
  Result<double> (*parse)(std::string_view text) = nullptr;
  std::string (*print)(double value) = nullptr;
  std::string (*exact)(double value) = nullptr;
  double min = 0;  ///< of a key without a lower bound
};

std::string short_number(double value) { return fmt::format("{:.6g}", value); }
std::string short_percentage(double value) { return fmt::format("{:.6g} %", 100 * value); }

/// @param share  whether a percentage is accepted, too
ValueText text_of_numbers(bool share) {
  return {.parse = share ? [](std::string_view text) { return language::parse_number(text, true); }
                         : [](std::string_view text) { return language::parse_number(text, false); },
          .print = share ? short_percentage : short_number,
          .exact = settings::types::to_text,
          .min = -std::numeric_limits<double>::infinity()};
}

ValueText text_of(const Type& type, const Key& key) {
  if (type.kind == Type::Kind::number) return text_of_numbers(key.share);
  return {type.units(), type.parse, type.print, type.exact};
}

/// A quantity or a number that is written as a map.
class UncertainValue {
 public:
  UncertainValue(const language::Field& field, const ValueText& text) : field_(field), text_(text) {}

  Result<UncertainInput> read() const {
    if (auto known = check_keys(); !known) return tl::unexpected(known.error());
    const bool ranged = field_.value.find("range") != nullptr;
    auto input = ranged ? read_range() : read_normal();
    if (!input) return input;
    input->key = field_.path;
    input->id = field_.path + " " + contents();
    input->origin = field_.value.origin().text();
    input->measure = field_.key.measure;
    input->print = text_.print;
    return input;
  }

 private:
  [[nodiscard]] std::string example() const {
    std::string unit(text_.units.substr(0, text_.units.find(',')));
    if (!unit.empty()) unit.insert(0, 1, ' ');
    if (field_.key.share) unit = " %";
    return fmt::format("write `{{value: 4{0}, range: [3{0}, 5{0}]}}` or `{{mean: 4{0}, sd: 1{0}}}`", unit);
  }

  /// `value` with `range`, or `mean` with `sd`.
  Result<void> check_keys() const {
    constexpr std::array<std::array<std::string_view, 2>, 2> forms{{{"value", "range"}, {"mean", "sd"}}};
    const language::Value& map = field_.value;
    for (const auto& form : forms) {
      if (map.members().size() != form.size()) continue;
      if (map.find(form[0]) != nullptr && map.find(form[1]) != nullptr) return {};
    }
    return language::refuse_field(field_, "expected one value, or a value with its range", example());
  }

  [[nodiscard]] language::Field inner(std::string_view key, const language::Value& value) const {
    return {value, fmt::format("{}.{}", field_.path, key), field_.key};
  }

  /// Not checked against the bounds of the key, as a deviation is not a value of it.
  Result<double> parse(const language::Field& field) const {
    GRADSIM_TRY(
        text,
        language::scalar_text(
            field, text_.units.empty() ? "a number" : fmt::format("a number with a unit ({})", text_.units)));
    const auto value = text_.parse(*text);
    if (!value) return language::refuse_field(field, value.error().what, value.error().hint);
    return *value;
  }

  Result<double> read_value_at(const language::Field& field) const {
    GRADSIM_TRY(value, parse(field));
    const settings::Bounds& bounds = field_.key.bounds;
    auto inside =
        check_bounds(field, *value, text_.print(bounds.min.value_or(0)), text_.print(bounds.max.value_or(0)));
    if (!inside) return tl::unexpected(inside.error());
    return *value;
  }

  Result<UncertainInput> read_range() const {
    const language::Value& range = *field_.value.find("range");
    const language::Field ends = inner("range", range);
    if (!range.is_list() || range.items().size() != 2)
      return language::refuse_field(ends, "expected a list of the lower and the upper end", example());
    GRADSIM_TRY(value, read_value_at(inner("value", *field_.value.find("value"))));
    GRADSIM_TRY(low, read_value_at(inner("range[0]", range.items()[0])));
    GRADSIM_TRY(high, read_value_at(inner("range[1]", range.items()[1])));
    if (*low >= *high) {
      return language::refuse_field(
          ends,
          fmt::format("the lower end {} is not below the upper end {}", text_.print(*low),
                      text_.print(*high)),
          *low > *high ? "write the lower end first" : "write the value alone where it is certain");
    }
    if (*value < *low || *value > *high) {
      return language::refuse_field(field_,
                                    fmt::format("the value {} is outside its range, {} to {}",
                                                text_.print(*value), text_.print(*low), text_.print(*high)),
                                    "widen the range, or correct the value");
    }
    return UncertainInput{.spread = Spread::triangular, .stated = *value, .low = *low, .high = *high};
  }

  Result<UncertainInput> read_normal() const {
    GRADSIM_TRY(mean, read_value_at(inner("mean", *field_.value.find("mean"))));
    const language::Field deviation = inner("sd", *field_.value.find("sd"));
    GRADSIM_TRY(sd, parse(deviation));
    if (*sd <= 0) {
      return language::refuse_field(
          deviation,
          fmt::format("the deviation {} of the mean {} is not above 0", text_.print(*sd), text_.print(*mean)),
          "accepted: above 0; write the value alone where it is certain");
    }
    const settings::Bounds& bounds = field_.key.bounds;
    return UncertainInput{.spread = Spread::normal,
                          .stated = *mean,
                          .low = std::max(text_.min, bounds.min.value_or(text_.min)),
                          .high = bounds.max.value_or(std::numeric_limits<double>::infinity()),
                          .sd = *sd};
  }

  /// As it is written, to tell unknowns apart.
  [[nodiscard]] std::string contents() const {
    std::string text;
    for (const language::Member& member : field_.value.members()) {
      text += " " + member.key + ": " + member.value.text();
      for (const language::Value& item : member.value.items()) text += " " + item.text();
    }
    return text;
  }

  const language::Field& field_;
  const ValueText& text_;
};

// Finds them in a tree.

bool looks_uncertain(const language::Value& value) {
  constexpr std::array<std::string_view, 4> keys{"value", "range", "mean", "sd"};
  return value.is_map() &&
         std::ranges::any_of(keys, [&](std::string_view key) { return value.find(key) != nullptr; });
}

/// Listens to the keys of one map and settles what the map has.
class UncertainKeys final : public settings::Fields {
 public:
  UncertainKeys(language::Value& map, std::string path, const Draws& draws,
                std::vector<UncertainInput>& found)
      : map_(map), path_(std::move(path)), draws_(draws), found_(found) {}

  using Fields::choice;
  using Fields::field;

  void field(const Key& key, const Type& type, void*) override {
    if (language::Value* value = map_.find(key.name)) enter(*value, type, join(key.name), key);
  }

  /// Keys of other alternatives may have the same name and another type.
  void choice(const Key& key, const Type& type, void* target) override {
    field(key, type, target);
    const language::Value* word = map_.find(key.name);
    const auto named = std::ranges::find(
        type.words, word == nullptr ? key.fallback.value_or("") : std::string_view(word->text()));
    if (named != type.words.end())
      type.set_word(target, static_cast<std::size_t>(named - type.words.begin()));
  }

  void deferred(const Key&) override {}
  void figure(const Key&, std::optional<double>&, std::string_view) override {}

  /// Into quantities and numbers, also those within lists and maps.
  void enter(language::Value& value, const Type& type, const std::string& path, const Key& key) {
    if (type.kind == Type::Kind::optional) return enter(value, *type.inner, path, key);
    const bool takes_range = type.kind == Type::Kind::quantity || type.kind == Type::Kind::number;
    if (takes_range && looks_uncertain(value)) return settle(value, text_of(type, key), path, key);
    if (type.kind == Type::Kind::list) {
      if (!value.is_list()) return enter(value, *type.inner, path, key);
      for (std::size_t i = 0; i < value.items().size(); ++i)
        enter(value.items()[i], *type.inner, fmt::format("{}[{}]", path, i), key);
      return;
    }
    if (type.kind != Type::Kind::map || !value.is_map()) return;
    if (!type.choice_key.empty() && looks_uncertain(value)) {  // the short form of its one key
      language::Value whole = language::Value::map({}, value.origin());
      whole.set(type.choice_key, value);
      value = std::move(whole);
    }
    UncertainKeys inner(value, path, draws_, found_);
    type.describe_default(inner);
    if (inner.error_ && !error_) error_ = std::move(inner.error_);
  }

  [[nodiscard]] const std::optional<netmodels::Error>& error() const { return error_; }

 private:
  void alternative(bool chosen, std::string_view, Rest describe_rest, void* rest) override {
    if (chosen) describe_rest(rest, *this);
  }
  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  void settle(language::Value& value, const ValueText& text, const std::string& path, const Key& key) {
    const language::Field field{value, path, key};
    auto input = UncertainValue(field, text).read();
    if (!input) {
      if (!error_) error_ = input.error();
      return;
    }
    const auto drawn = draws_.find(input->id);
    const double number = drawn == draws_.end() ? input->stated : input->quantile(drawn->second);
    value = language::Value::scalar(text.exact(number), value.origin());
    found_.push_back(std::move(*input));
  }

  language::Value& map_;
  std::string path_;
  const Draws& draws_;
  std::vector<UncertainInput>& found_;
  std::optional<netmodels::Error> error_;
};

/// ", cut off at 0 bit/s (16 % of it)"; empty where less than 1 % is.
std::string cut_text(const UncertainInput& input) {
  constexpr double worth_saying = 0.01;
  const double below_low = below(input.low, input.stated, input.sd);
  const double above_high = 1 - below(input.high, input.stated, input.sd);
  std::string text;
  for (const auto& [end, share] : {std::pair{input.low, below_low}, std::pair{input.high, above_high}})
    if (share >= worth_saying)
      text += fmt::format(", cut off at {} ({:.2g} % of it)", input.print(end), 100 * share);
  return text;
}

}  // namespace

double triangular_quantile(double low, double mode, double high, double share) {
  const double width = high - low;
  if (share * width < mode - low) return low + std::sqrt(share * width * (mode - low));
  return high - std::sqrt((1 - share) * width * (high - mode));
}

double UncertainInput::quantile(double share) const {
  return spread == Spread::triangular ? triangular_quantile(low, stated, high, share)
                                      : normal_quantile(*this, share);
}

std::string UncertainInput::text() const {
  if (spread == Spread::normal) return fmt::format("{}, sd {}{}", print(stated), print(sd), cut_text(*this));
  return fmt::format("{} to {}", print(low), print(high));
}

std::optional<std::string> undrawn_warning(const std::vector<UncertainInput>& inputs) {
  if (inputs.empty()) return std::nullopt;
  return fmt::format("{}: `{}`{}: the stated value is used; only `sim run --samples N` draws from a range",
                     inputs.front().origin, inputs.front().key,
                     inputs.size() == 1 ? "" : fmt::format(" and {} more", inputs.size() - 1));
}

Result<std::vector<UncertainInput>> settle_uncertain(language::Value& map, const Type& type,
                                                     const std::string& path, const Draws& draws) {
  std::vector<UncertainInput> found;
  UncertainKeys keys(map, path, draws, found);
  keys.enter(map, type, path, {});
  if (keys.error()) return tl::unexpected(*keys.error());
  return found;
}

}  // namespace sim::scenario
