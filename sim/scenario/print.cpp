// Writes a tree of values as YAML, with the origin of each value behind it.
#include "sim/scenario/print.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace sim::scenario {
namespace {

constexpr std::size_t comment_column = 44;  ///< where origins begin, so that values can be read down the page

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether YAML reads the text back as it is, in a list on one line too.
bool is_plain(std::string_view text) {
  constexpr std::string_view inside = " _./%+-*$^()=";  // none of : # , [ ] { } quotes
  if (text.empty() || text == "~" || text.back() == ' ') return false;
  const bool number =
      (text[0] == '-' || text[0] == '.') && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  if (!is_word_character(text[0]) && text[0] != '/' && !number) return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return std::ranges::all_of(
      text, [&](char c) { return is_word_character(c) || inside.find(c) != std::string_view::npos; });
}

std::string comment(const Origin& origin) {
  std::string text = "# " + origin.text();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// One line with its origin in the comment column.
void add_line(std::string& out, const std::string& line, const Origin& origin) {
  out += line;
  const std::size_t width = line.size();
  out += std::string(width + 2 > comment_column ? 2 : comment_column - width, ' ') + comment(origin) + "\n";
}

bool on_one_line(const Value& value) {
  if (value.is_map()) return value.members().empty();
  return std::ranges::none_of(value.items(),
                              [](const Value& item) { return item.is_list() || item.is_map(); });
}

/// Single values, lists of them, and what is empty.
std::string flow(const Value& value) {
  if (value.is_scalar()) return yaml_scalar(value.text(), value.quoted());
  if (value.is_map()) return "{}";
  if (!value.is_list()) return "null";
  std::string text;
  for (const Value& item : value.items()) text += (text.empty() ? "" : ", ") + flow(item);
  return "[" + text + "]";
}

void print_members(std::string& out, const Value& map, std::size_t depth, std::string first);

void print_items(std::string& out, const Value& list, std::size_t depth) {
  const std::string indent(depth, ' ');
  for (const Value& item : list.items()) {
    if (on_one_line(item))
      add_line(out, indent + "- " + flow(item), item.origin());
    else if (item.is_map())
      print_members(out, item, depth + 2, indent + "- ");
    else {
      out += indent + "-\n";
      print_items(out, item, depth + 2);
    }
  }
}

/// @param first stands before the first key in place of the indentation, for a map that is an item of a list
void print_members(std::string& out, const Value& map, std::size_t depth, std::string first) {
  const std::string indent(depth, ' ');
  for (const Member& member : map.members()) {
    const std::string head = (first.empty() ? indent : first) + yaml_scalar(member.key, false) + ":";
    first.clear();
    if (on_one_line(member.value))
      add_line(out, head + " " + flow(member.value), member.value.origin());
    else {
      out += head + "\n";
      if (member.value.is_map())
        print_members(out, member.value, depth + 2, {});
      else
        print_items(out, member.value, depth + 2);
    }
  }
}

}  // namespace

std::string yaml_scalar(std::string_view text, bool quoted) {
  if (!quoted && is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out + "\"";
}

std::string print_tree(const Value& root) {
  std::string out;
  print_members(out, root, 0, {});
  return out;
}

}  // namespace sim::scenario
