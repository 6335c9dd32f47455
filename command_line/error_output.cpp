// Prints errors in the form that is kept with the stream.
#include "command_line/error_output.hpp"

#include <cctype>
#include <ostream>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace command_line {
namespace {

using nlohmann::ordered_json;

/// Word of each stream that holds the form.
int form_index() {
  static const int index = std::ios_base::xalloc();
  return index;
}

/// Takes `:NUMBER` off the end. @returns nothing where the text ends otherwise
std::optional<int> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return std::nullopt;
  int number = 0;
  for (const char digit : text.substr(colon + 1)) {
    if (std::isdigit(static_cast<unsigned char>(digit)) == 0 || number > 100'000'000) return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  text.remove_suffix(text.size() - colon);
  return number;
}

void put_place(ordered_json& object, const std::string& where) {
  if (where.empty()) return;
  if (where.starts_with("--") || where.starts_with("params.")) {
    object["option"] = where;
    return;
  }
  std::string_view file = where;
  const auto last = take_number(file);
  const auto line = last ? take_number(file) : std::nullopt;
  object["file"] = file;
  if (last) object["line"] = line.value_or(*last);
  if (line) object["column"] = *last;
}

/// Key that the sentence begins with: "`cluster.workers`: ...".
std::string_view key_in(std::string_view what) {
  if (!what.starts_with('`')) return {};
  const std::size_t end = what.find("`:");
  return end == std::string_view::npos ? std::string_view{} : what.substr(1, end - 1);
}

ordered_json json_of(const netmodels::Error& error) {
  ordered_json object;
  put_place(object, error.where);
  if (const auto key = key_in(error.what); !key.empty()) object["key"] = key;
  object["what"] = error.what;
  if (!error.hint.empty()) object["hint"] = error.hint;
  for (const netmodels::Change& change : error.remedy)
    object["remedy"].push_back({{"key", change.key}, {"value", change.value}});
  netmodels::Error alone = error;
  alone.more.clear();
  object["text"] = alone.text();
  return object;
}

void print_line(std::ostream& out, const netmodels::Error& error) {
  const ordered_json line{{"error", json_of(error)}};
  out << line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace

std::ostream& errors_as_json(std::ostream& out) {
  out.iword(form_index()) = 1;
  return out;
}

void print_error(std::ostream& out, const netmodels::Error& error) {
  if (out.iword(form_index()) == 0) {
    out << error.text() << "\n";
    return;
  }
  print_line(out, error);
  for (const netmodels::Error& other : error.more) print_line(out, other);
}

std::optional<ordered_json> parse_error_line(const std::string& line) {
  if (!line.starts_with(R"({"error":)")) return std::nullopt;
  ordered_json object = ordered_json::parse(line, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  return std::move(object["error"]);
}

}  // namespace command_line
