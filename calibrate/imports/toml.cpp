// Reads the part of TOML that configurations of trainings use, as the JSON of the same values.
#include "calibrate/imports/toml.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace calibrate::imports {
namespace {

using netmodels::refuse;
using netmodels::Result;
using nlohmann::json;
using Keys = std::vector<std::string>;

constexpr std::size_t most_toml_bytes = 1'000'000;
constexpr int most_toml_depth = 100;

/// Reads a document from its first character to its last; the first error ends it.
class TomlReader {
 public:
  TomlReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  Result<json> read() {
    json* table = &root_;
    while (!error_ && skip_lines()) {
      if (peek() == '[')
        table = header();
      else
        entry(*table);
      if (!error_) end_line();
    }
    if (error_) return tl::unexpected(*error_);
    return std::move(root_);
  }

 private:
  void fail(const std::string& what, const std::string& hint =
                                         "accepted: TOML 1.0 without dates and texts "
                                         "of several lines") {
    if (error_) return;
    const auto line = 1 + std::ranges::count(text_.substr(0, std::min(at_, text_.size())), '\n');
    error_ = netmodels::Error{fmt::format("{}:{}", source_, line), what, hint};
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_comment() {
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  /// Skips to the next character that is no space, line end or comment; false at the end of the text.
  bool skip_lines() {
    while (at_ < text_.size()) {
      skip_spaces();
      skip_comment();
      if (peek() != '\n' && peek() != '\r') return at_ < text_.size();
      ++at_;
    }
    return false;
  }
  void end_line() {
    skip_spaces();
    skip_comment();
    if (peek() == '\r') ++at_;
    if (at_ < text_.size() && peek() != '\n') fail("expected the end of the line");
  }
  bool take(char wanted) {
    skip_spaces();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) fail(fmt::format("expected `{}`", wanted));
  }

  Keys keys();
  std::string text_value();
  json* header();
  json* inner(json& table, const std::string& key);
  void entry(json& table);
  json value(int depth);
  json array(int depth);
  json inline_table(int depth);
  json plain_value();

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  json root_ = json::object();
  std::optional<netmodels::Error> error_;
};

bool is_bare(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

Keys TomlReader::keys() {
  Keys found;
  do {
    skip_spaces();
    if (peek() == '"' || peek() == '\'') {
      found.push_back(text_value());
      continue;
    }
    const std::size_t begin = at_;
    while (is_bare(peek())) ++at_;
    if (begin == at_) fail("expected a key");
    found.emplace_back(text_.substr(begin, at_ - begin));
  } while (!error_ && found.size() <= most_toml_depth && take('.'));
  if (found.size() > most_toml_depth) fail(fmt::format("a key has more than {} parts", most_toml_depth));
  return found;
}

std::string TomlReader::text_value() {
  const char quote = peek();
  ++at_;
  if (peek() == quote && peek(1) == quote) fail("a text of several lines");
  std::string text;
  while (!error_ && peek() != quote) {
    if (at_ >= text_.size() || peek() == '\n') {
      fail("a text without its closing quote");
      break;
    }
    char c = peek();
    ++at_;
    if (c == '\\' && quote == '"') {
      constexpr std::string_view marks = "btnfr\"\\";
      constexpr std::string_view meant = "\b\t\n\f\r\"\\";
      const std::size_t which = marks.find(peek());
      if (which == std::string_view::npos || at_ >= text_.size()) {
        fail("an escape other than \\b, \\t, \\n, \\f, \\r, \\\" and \\\\");
        break;
      }
      c = meant[which];
      ++at_;
    }
    text += c;
  }
  ++at_;
  return text;
}

/// The table `key` of a table, made where it is missing; of an array of tables the last one.
json* TomlReader::inner(json& table, const std::string& key) {
  json& found = table[key];
  if (found.is_null()) found = json::object();
  if (found.is_array() && !found.empty() && found.back().is_object()) return &found.back();
  if (!found.is_object()) {
    fail(fmt::format("`{}` is a value, not a table", key), "state each key once");
    return nullptr;
  }
  return &found;
}

json* TomlReader::header() {
  ++at_;
  const bool many = peek() == '[';
  if (many) ++at_;
  Keys path = keys();
  expect(']');
  if (many) expect(']');
  json* table = &root_;
  for (std::size_t i = 0; !error_ && i < path.size(); ++i) {
    if (many && i + 1 == path.size()) {
      json& list = (*table)[path[i]];
      if (list.is_null()) list = json::array();
      if (!list.is_array()) {
        fail(fmt::format("`{}` is a table, not a list of tables", path[i]), "state each key once");
        break;
      }
      list.push_back(json::object());
      return &list.back();
    }
    table = inner(*table, path[i]);
  }
  return error_ ? &root_ : table;
}

void TomlReader::entry(json& table) {
  const Keys path = keys();
  expect('=');
  json* target = &table;
  for (std::size_t i = 0; !error_ && i + 1 < path.size(); ++i) target = inner(*target, path[i]);
  if (error_) return;
  if (target->contains(path.back())) {
    fail(fmt::format("duplicate key `{}`", path.back()), "state each key once");
    return;
  }
  json read = value(0);
  if (!error_) (*target)[path.back()] = std::move(read);
}

json TomlReader::value(int depth) {
  skip_spaces();
  if (depth > most_toml_depth) {
    fail(fmt::format("more than {} arrays and tables inside each other", most_toml_depth));
    return {};
  }
  if (peek() == '"' || peek() == '\'') return text_value();
  if (peek() == '[') return array(depth);
  if (peek() == '{') return inline_table(depth);
  return plain_value();
}

json TomlReader::array(int depth) {
  ++at_;
  json list = json::array();
  while (!error_) {
    if (!skip_lines()) fail("an array without its closing bracket");
    if (take(']')) return list;
    list.push_back(value(depth + 1));
    skip_lines();
    if (!take(',') && peek() != ']') fail("expected `,` or `]`");
  }
  return list;
}

json TomlReader::inline_table(int depth) {
  ++at_;
  json table = json::object();
  if (take('}')) return table;
  do {
    const Keys path = keys();
    expect('=');
    if (path.size() != 1) fail("a dotted key in an inline table");
    if (error_) return table;
    if (table.contains(path.front())) fail(fmt::format("duplicate key `{}`", path.front()));
    table[path.front()] = value(depth + 1);
  } while (!error_ && take(','));
  expect('}');
  return table;
}

/// A number that is all of a text.
template <class Number>
std::optional<Number> number_of(std::string_view digits) {
  Number number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, wrong] = std::from_chars(digits.data(), end, number);
  return wrong == std::errc{} && stop == end && !digits.empty() ? std::optional(number) : std::nullopt;
}

json TomlReader::plain_value() {
  const std::size_t begin = at_;
  const auto belongs = [](char c) { return is_bare(c) || c == '+' || c == '.' || c == ':'; };
  while (belongs(peek())) ++at_;
  const std::string word(text_.substr(begin, at_ - begin));
  if (word == "true" || word == "false") return word == "true";
  std::string digits = word;
  std::erase(digits, '_');
  if (digits.starts_with('+')) digits.erase(0, 1);
  if (const auto whole = number_of<std::int64_t>(digits)) return *whole;
  if (const auto number = number_of<double>(digits); number && std::isfinite(*number)) return *number;
  fail(word.empty() ? "expected a value" : fmt::format("`{}` cannot be read", word));
  return {};
}

}  // namespace

Result<json> read_toml(std::string_view text, const std::string& source) {
  if (text.size() > most_toml_bytes)
    return refuse(source, fmt::format("{} bytes", text.size()),
                  fmt::format("accepted: up to {} bytes", most_toml_bytes));
  return TomlReader(text, source).read();
}

}  // namespace calibrate::imports
