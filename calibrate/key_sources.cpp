// Names options and keys of an import's file where `sim check` names a scenario that was not written.
#include "calibrate/key_sources.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace calibrate {
namespace {

std::size_t indentation(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// The name before the last `: ` of a text; empty where there is none.
std::string_view last_key(std::string_view text) {
  const std::size_t colon = text.rfind(": ");
  if (colon == std::string_view::npos) return {};
  const std::size_t begin = text.find_last_of(" {", colon - 1);
  return text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                     colon - (begin == std::string_view::npos ? 0 : begin + 1));
}

std::string_view first_key(std::string_view line) {
  const std::string_view text = line.substr(indentation(line));
  return text.substr(0, std::min(text.find(':'), text.size()));
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
}

bool is_option(std::string_view source) { return source.starts_with("--"); }

/// `key` becomes `source`, but for keys of a file before values, which are of a scenario.
void name_key(std::string& text, std::string_view key, const std::string& source) {
  const std::string from = fmt::format("`{}`", key);
  const std::string to = fmt::format("`{}`", source);
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    const bool before_values = at > 0 && text.substr(at + from.size()).starts_with(": ");
    if (is_option(source) || !before_values) text.replace(at, from.size(), to);
  }
}

/// `key` becomes `source`; `key: value` of an option becomes `--option value`.
void name_source(std::string& text, std::string_view key, const std::string& source) {
  name_key(text, key, source);
  if (!is_option(source)) return;
  const std::string begin = fmt::format("`{}: ", key);
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
    const std::size_t value = at + begin.size();
    const std::size_t end = std::min(text.find('`', value), text.size());
    const std::string stated = text.substr(value, end - value);
    const std::string_view quote = stated.find(' ') == std::string::npos ? "" : "'";
    text.replace(at, end - at, fmt::format("`{} {}{}{}", source, quote, stated, quote));
  }
}

/// `line:column: ` at the begin of a text, which it is taken from; nothing where it begins otherwise.
struct TextPlace {
  int line = 0;
  int column = 0;
};
TextPlace take_place(std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(": ", first + 1);
  if (second == std::string::npos) return {};
  const auto line = files::read_integer(text.substr(0, first));
  const auto column = files::read_integer(text.substr(first + 1, second - first - 1));
  if (!line || !column) return {};
  text.erase(0, second + 2);
  return {static_cast<int>(*line), static_cast<int>(*column)};
}

/// `name:line:column` anywhere becomes `the scenario`, which has no lines for the reader.
void drop_places(std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name + ":"); at != std::string::npos; at = text.find(name + ":", at + 1)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789:", at + name.size()), text.size());
    const std::size_t kept = text[end - 1] == ':' ? end - 1 : end;
    text.replace(at, kept - at, "the scenario");
  }
}

}  // namespace

std::string key_at(std::string_view text, int line, int column) {
  const std::vector<std::string_view> lines = files::lines_of(text);
  if (line < 1 || line > static_cast<int>(lines.size())) return {};
  const std::string_view row = lines[static_cast<std::size_t>(line) - 1];
  std::string path(first_key(row));
  const std::string_view last =
      last_key(row.substr(0, std::min(static_cast<std::size_t>(column) - 1, row.size())));
  std::size_t inner = indentation(row);
  for (int above = line - 1; above >= 1 && inner > 0; --above) {
    const std::string_view outer = lines[static_cast<std::size_t>(above) - 1];
    if (indentation(outer) >= inner) continue;
    inner = indentation(outer);
    path = std::string(first_key(outer)) + "." + path;
  }
  if (!last.empty() && last != first_key(row)) path += "." + std::string(last);
  return path;
}

std::string with_sources(std::string sentence, const std::string& name, std::string_view text,
                         std::span<const KeySource> sources) {
  std::string where;
  if (sentence.starts_with(name + ":")) {
    sentence.erase(0, name.size() + 1);
    const TextPlace place = take_place(sentence);
    const auto found = std::ranges::find(sources, key_at(text, place.line, place.column), &KeySource::key);
    if (found != sources.end()) where = found->source;
  }
  drop_places(sentence, name);
  for (const KeySource& one : sources) name_source(sentence, one.key, one.source);
  for (const KeySource& one : sources) name_source(sentence, last_name(one.key), one.source);
  if (where.empty()) return sentence;
  const std::string named = fmt::format("`{}`: ", where);
  if (sentence.starts_with(named)) sentence.erase(0, named.size());
  return (is_option(where) ? where + ": " : named) + sentence;
}

}  // namespace calibrate
