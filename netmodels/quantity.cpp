// Physical values as text: units are read exactly, and printed so that they read back to the same value.
#include "netmodels/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/unit.hpp"

namespace netmodels {
namespace {

template <class Q>
constexpr std::size_t index = 0;
template <>
constexpr std::size_t index<Bytes> = 1;
template <>
constexpr std::size_t index<Bandwidth> = 2;
template <>
constexpr std::size_t index<Flops> = 3;
template <>
constexpr std::size_t index<FlopRate> = 4;
template <>
constexpr std::size_t index<Dollars> = 5;
template <>
constexpr std::size_t index<DollarRate> = 6;

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;  // a wrong value may be a whole paragraph
  return "`" + std::string(text.substr(0, longest)) + (text.size() > longest ? "..." : "") + "`";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Number {
  std::string_view mantissa;
  std::string_view exponent;  ///< exponent without the `e`; may be empty
  std::string_view rest;
};

/// Length of the digits with at most one point at the beginning; 0 where there is no digit.
std::size_t mantissa_length(std::string_view text) {
  std::size_t length = 0;
  std::size_t digits = 0;
  bool point = false;
  for (; length < text.size(); ++length) {
    const bool digit = is_digit(text[length]);
    if (!digit && (text[length] != '.' || point)) break;
    point = point || !digit;
    digits += digit ? 1 : 0;
  }
  return digits == 0 ? 0 : length;
}

/// Length of the exponent at the beginning, `e` and sign included; 0 where there is none.
std::size_t exponent_length(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  const bool sign = text.size() > 1 && (text[1] == '+' || text[1] == '-');
  const std::size_t begin = sign ? 2 : 1;
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > begin ? end : 0;
}

std::optional<Number> split_number(std::string_view text) {
  const std::size_t mantissa = mantissa_length(text);
  if (mantissa == 0) return std::nullopt;
  Number number{text.substr(0, mantissa), {}, text.substr(mantissa)};
  if (const std::size_t length = exponent_length(number.rest); length > 0) {
    number.exponent = number.rest.substr(1, length - 1);
    if (number.exponent.front() == '+') number.exponent.remove_prefix(1);
    number.rest.remove_prefix(length);
  }
  number.rest = trim(number.rest);
  return number;
}

/// Nothing where the number does not fit a double.
std::optional<double> scale(const Number& number, const Unit& unit) {
  int exponent = 0;
  if (!number.exponent.empty()) {
    const char* end = number.exponent.data() + number.exponent.size();
    if (std::from_chars(number.exponent.data(), end, exponent).ec != std::errc()) return std::nullopt;
    if (exponent > 10000 || exponent < -10000) return std::nullopt;
  }
  const std::string text = std::string(number.mantissa) + "e" + std::to_string(exponent + unit.exponent);
  double value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
  value = value * unit.factor / unit.divisor;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

/// Error of a text that does not even begin with a number.
tl::unexpected<Error> refuse_number(std::string_view text, const Dimension& wanted) {
  const std::string expected = "expected " + std::string(wanted.noun);
  const std::string hint = "write a number and one of these units: " + std::string(wanted.accepted);
  if (text.empty()) return refuse("", expected + ", found nothing", hint);
  std::string word;
  for (const char c : text.substr(0, 5)) word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.erase(0, 1);
  if (!word.empty() && word[0] == '.') word.erase(0, 1);
  if (word.starts_with("nan")) return refuse("", quoted(text) + " is not a number; " + expected, hint);
  if (word.starts_with("inf")) return refuse("", quoted(text) + " is not finite; " + expected, hint);
  if (text[0] == '-' && split_number(trim(text.substr(1)))) {
    return refuse("", quoted(text) + " is negative; " + expected,
                  "write zero or more, in " + std::string(wanted.accepted));
  }
  return refuse("", quoted(text) + " does not begin with a number; " + expected, hint);
}

/// `b` and `FLOPs` mean two things; `KB` is read as 1000 by some and as 1024 by others.
/// @param per_second  "/s" where a rate is expected that the unit is not, else empty
std::optional<std::string> ambiguity(std::string_view unit, const std::string& per_second) {
  for (const std::string_view prefix : {"", "k", "K", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"}) {
    const std::string p(prefix);
    for (const std::string_view per : {"", "/s"}) {
      const std::string s(per);
      if (unit == p + "b" + s) {
        const std::string k = p == "K" ? "k" : p;
        const std::string rate = s.empty() ? per_second : s;
        return "write `" + k + "bit" + rate + "` for bits or `" + k + "B" + rate + "` for bytes";
      }
    }
  }
  if (unit == "KB" || unit == "KB/s") {
    const std::string s = unit == "KB" ? per_second : "/s";
    return "write `kB" + s + "` for 1000 bytes or `KiB" + s + "` for 1024 bytes";
  }
  if (unit.ends_with("FLOPs")) {
    const std::string f(unit.substr(0, unit.size() - 1));
    return "write `" + f + "` for a number of operations or `" + f + "/s` for a rate";
  }
  return std::nullopt;
}

tl::unexpected<Error> refuse_unit(std::string_view text, std::string_view unit, const Dimension& wanted) {
  const std::string expected = "expected " + std::string(wanted.noun);
  const std::string hint = "accepted units: " + std::string(wanted.accepted);
  if (unit.empty()) return refuse("", quoted(text) + " has no unit; " + expected, hint);
  const bool is_rate = find_unit(wanted.units, "B/s") != nullptr;
  if (const auto choice = ambiguity(unit, is_rate ? "/s" : "")) {
    return refuse("", "the unit " + quoted(unit) + " in " + quoted(text) + " is ambiguous", *choice);
  }
  for (const Dimension& other : dimensions()) {
    if (!find_unit(other.units, unit)) continue;
    const std::string rate = std::string(unit) + "/s";
    const std::string meant =
        find_unit(wanted.units, rate) ? "write " + quoted(std::string(text) + "/s") : hint;
    return refuse("", quoted(text) + " is " + std::string(other.noun) + "; " + expected, meant);
  }
  std::vector<std::string_view> known;
  for (const Unit& candidate : wanted.units) known.push_back(candidate.name);
  const std::string guess = suggestion(unit, known);
  return refuse("", "the unit " + quoted(unit) + " in " + quoted(text) + " is unknown; " + expected,
                guess.empty() ? hint : guess + " " + hint);
}

Result<double> parse_base(std::string_view whole, const Dimension& wanted) {
  const std::string_view text = trim(whole);
  const auto number = split_number(text);
  if (!number) return refuse_number(text, wanted);
  const Unit* unit = find_unit(wanted.units, number->rest);
  if (!unit) return refuse_unit(text, number->rest, wanted);
  const auto value = scale(*number, *unit);
  if (!value) {
    return refuse("", quoted(text) + " does not fit in a floating-point number", "write a smaller value");
  }
  return *value;
}

/// d.ddd * 10^exponent: the shortest decimal digits of a positive number, or rounded to `digits` digits.
struct Decimal {
  std::string digits;  ///< no leading and no trailing zeros
  int exponent = 0;    ///< exponent of the first digit
};

Decimal to_decimal(double value, int digits) {
  std::array<char, 64> buffer{};
  char* const end = buffer.data() + buffer.size();
  const auto result =
      digits > 0 ? std::to_chars(buffer.data(), end, value, std::chars_format::scientific, digits - 1)
                 : std::to_chars(buffer.data(), end, value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, e)) {
    if (is_digit(c)) decimal.digits += c;
  }
  while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
  decimal.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  return decimal;
}

/// The number written out, or with an exponent where that would take too many zeros.
std::string write(const Decimal& decimal, int shift) {
  const int exponent = decimal.exponent + shift;
  const int count = static_cast<int>(decimal.digits.size());
  if (exponent < -6 || exponent > 17) {
    const std::string tail = count > 1 ? "." + decimal.digits.substr(1) : "";
    return decimal.digits.substr(0, 1) + tail + "e" + std::to_string(exponent);
  }
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + decimal.digits;
  if (exponent >= count - 1)
    return decimal.digits + std::string(static_cast<std::size_t>(exponent - count + 1), '0');
  const auto point = static_cast<std::size_t>(exponent + 1);
  return decimal.digits.substr(0, point) + "." + decimal.digits.substr(point);
}

struct Prefix {
  int exponent;
  std::string_view unit;
};

/// Text in the largest unit that leaves at least one before the point. `value` is positive and finite.
std::string with_prefix(double value, int digits, std::span<const Prefix> prefixes) {
  const Decimal decimal = to_decimal(value, digits);
  const Prefix* chosen = &prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (decimal.exponent >= prefix.exponent) chosen = &prefix;
  }
  return write(decimal, -chosen->exponent) + " " + std::string(chosen->unit);
}

/// Sign, zero and what is not finite; the rest goes to `print_positive`.
template <class PrintPositive>
std::string print_any(double value, std::string_view base, PrintPositive print_positive) {
  if (std::isnan(value)) return "nan " + std::string(base);
  if (std::isinf(value)) return (value < 0 ? "-inf " : "inf ") + std::string(base);
  if (value == 0) return "0 " + std::string(base);
  return value < 0 ? "-" + print_positive(-value) : print_positive(value);
}

/// The fewest digits in `unit` that read back to `value`; nothing where no digits do.
template <class Q>
std::optional<std::string> exact_in(double value, const Unit& unit) {
  for (int digits = 1; digits <= 17; ++digits) {
    const std::string text =
        write(to_decimal(value / unit.factor * unit.divisor, digits), 0) + " " + std::string(unit.name);
    const auto back = parse_base(text, dimensions()[index<Q>]);  // the limits do not apply here
    if (back && *back == value) return text;
  }
  return std::nullopt;
}

/// min, h, day: the last rows in the table of times.
std::span<const Unit> long_units() { return dimensions()[index<Seconds>].units.last<3>(); }

std::string print_time(double value, int digits) {
  constexpr auto prefixes = std::to_array<Prefix>({{-9, "ns"}, {-6, "us"}, {-3, "ms"}, {0, "s"}});
  std::string best = with_prefix(value, digits, prefixes);
  if (digits > 0) {
    constexpr double readable_units = 2;  // below two minutes, hours or days the smaller unit says more
    for (const Unit& unit : long_units()) {
      if (value >= readable_units * unit.factor)
        best = write(to_decimal(value / unit.factor, digits), 0) + " " + std::string(unit.name);
    }
    return best;
  }
  for (const Unit& unit : long_units()) {
    if (value < unit.factor) break;
    const auto text = exact_in<Seconds>(value, unit);
    if (text && text->size() < best.size()) best = *text;
  }
  return best;
}

std::string print_size(double value, int digits) {
  constexpr auto prefixes = std::to_array<Prefix>({{0, "B"}, {3, "kB"}, {6, "MB"}, {9, "GB"}, {12, "TB"}});
  std::string best = with_prefix(value, digits, prefixes);
  if (digits > 0) return best;
  for (const Unit& unit : dimensions()[index<Bytes>].units) {
    const double multiple = value / unit.factor;
    if (unit.factor == 1 || multiple < 1 || multiple != std::floor(multiple) || multiple > 1e15) continue;
    const std::string text = write(to_decimal(multiple, 0), 0) + " " + std::string(unit.name);
    if (text.size() < best.size()) best = text;
  }
  return best;
}

std::string print_price(double value, int digits) {
  constexpr auto per_second = std::to_array<Prefix>({{0, "USD/s"}});
  const Unit& per_hour = *find_unit(dimensions()[index<DollarRate>].units, "USD/h");
  if (digits > 0)
    return write(to_decimal(value * per_hour.divisor, digits), 0) + " " + std::string(per_hour.name);
  const auto text = exact_in<DollarRate>(value, per_hour);
  return text ? *text : with_prefix(value, 0, per_second);
}

}  // namespace

template <class Q>
Result<Q> parse(std::string_view text) {
  const Dimension& wanted = dimensions()[index<Q>];
  GRADSIM_TRY(count, parse_base(text, wanted));
  if (*count == 0 || (*count >= wanted.least && *count <= wanted.most)) return Q{*count};
  return refuse("", quoted(trim(text)) + (*count < wanted.least ? " is too small" : " is too large"),
                "accepted: zero, or " + print(Q{wanted.least}) + " to " + print(Q{wanted.most}));
}

template <class Q>
std::string_view accepted_units() {
  return dimensions()[index<Q>].accepted;
}

std::string print(Seconds value, int digits) {
  return print_any(value.count, "s", [digits](double v) { return print_time(v, digits); });
}

std::string print(Bytes value, int digits) {
  return print_any(value.count, "B", [digits](double v) { return print_size(v, digits); });
}

std::string print(Bandwidth value, int digits) {
  static constexpr auto prefixes =
      std::to_array<Prefix>({{0, "bit/s"}, {3, "kbit/s"}, {6, "Mbit/s"}, {9, "Gbit/s"}, {12, "Tbit/s"}});
  return print_any(value.count, "bit/s", [digits](double v) {
    const double bits = v * 8;
    if (!std::isfinite(bits)) return write(to_decimal(v, digits), 0) + " B/s";
    return with_prefix(bits, digits, prefixes);
  });
}

std::string print(Flops value, int digits) {
  static constexpr auto prefixes = std::to_array<Prefix>({{0, "FLOP"},
                                                          {3, "kFLOP"},
                                                          {6, "MFLOP"},
                                                          {9, "GFLOP"},
                                                          {12, "TFLOP"},
                                                          {15, "PFLOP"},
                                                          {18, "EFLOP"},
                                                          {21, "ZFLOP"}});
  return print_any(value.count, "FLOP", [digits](double v) { return with_prefix(v, digits, prefixes); });
}

std::string print(FlopRate value, int digits) {
  static constexpr auto prefixes = std::to_array<Prefix>({{0, "FLOP/s"},
                                                          {3, "kFLOP/s"},
                                                          {6, "MFLOP/s"},
                                                          {9, "GFLOP/s"},
                                                          {12, "TFLOP/s"},
                                                          {15, "PFLOP/s"},
                                                          {18, "EFLOP/s"}});
  return print_any(value.count, "FLOP/s", [digits](double v) { return with_prefix(v, digits, prefixes); });
}

std::string print(Dollars value, int digits) {
  static constexpr auto prefixes = std::to_array<Prefix>({{0, "USD"}});
  return print_any(value.count, "USD", [digits](double v) { return with_prefix(v, digits, prefixes); });
}

std::string print(DollarRate value, int digits) {
  return print_any(value.count, "USD/h", [digits](double v) { return print_price(v, digits); });
}

template Result<Seconds> parse<Seconds>(std::string_view);
template Result<Bytes> parse<Bytes>(std::string_view);
template Result<Bandwidth> parse<Bandwidth>(std::string_view);
template Result<Flops> parse<Flops>(std::string_view);
template Result<FlopRate> parse<FlopRate>(std::string_view);
template Result<Dollars> parse<Dollars>(std::string_view);
template Result<DollarRate> parse<DollarRate>(std::string_view);

template std::string_view accepted_units<Seconds>();
template std::string_view accepted_units<Bytes>();
template std::string_view accepted_units<Bandwidth>();
template std::string_view accepted_units<Flops>();
template std::string_view accepted_units<FlopRate>();
template std::string_view accepted_units<Dollars>();
template std::string_view accepted_units<DollarRate>();

}  // namespace netmodels
