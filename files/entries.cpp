// Reading of lists of flat entries.
#include "files/entries.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "files/text_file.hpp"

namespace files {
namespace {

using netmodels::refuse;
using netmodels::Result;

PlacedText placed(std::string_view part, const PlacedText& whole) {
  return {std::string(part), whole.line,
          whole.column + static_cast<int>(part.data() - std::string_view(whole.text).data())};
}

/// The pieces of a text between commas outside quotes and brackets, without surrounding blanks.
std::vector<PlacedText> pieces_of(const PlacedText& inside) {
  std::vector<PlacedText> pieces;
  const std::string_view text = inside.text;
  std::size_t begin = 0;
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '\'') is_quoted = !is_quoted;
    if (is_quoted && i < text.size()) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    const std::string_view piece = trimmed(text.substr(begin, i - begin));
    if (!piece.empty()) pieces.push_back(placed(piece, inside));
    begin = i + 1;
  }
  return pieces;
}

/// The text without its first and last character.
PlacedText inside_of(const PlacedText& text) {
  return placed(std::string_view(text.text).substr(1, text.text.size() - 2), text);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Whether the line is `name: [` without the list's end.
bool opens_list(std::string_view text) {
  const std::size_t colon = std::min(text.find(": "), text.size() - 1);
  return trimmed(text.substr(colon + 1)).starts_with('[') && !text.ends_with(']');
}

/// `name: value` or `name:`.
Result<Field> read_field(const PlacedText& text, std::string_view source) {
  const std::string_view all = text.text;
  const std::size_t colon = all.find(':');
  const bool ends = colon + 1 == all.size() || (colon < all.size() && all[colon + 1] == ' ');
  if (colon == std::string_view::npos || !ends || !is_name(all.substr(0, colon)))
    return refuse(place(source, text), fmt::format("`{}` is not `name: value`", all), "write it so");
  Field field{placed(all.substr(0, colon), text), std::nullopt, {}};
  const std::string_view value = trimmed(all.substr(colon + 1));
  if (value.starts_with('[') && value.ends_with(']'))
    field.items = pieces_of(inside_of(placed(value, text)));
  else if (!value.empty())
    field.value = placed(value, text);
  return field;
}

Result<void> add(std::vector<Field>& fields, Field field, std::string_view source) {
  const auto same = [&](const Field& each) { return each.name.text == field.name.text; };
  if (std::ranges::any_of(fields, same))
    return refuse(place(source, field.name), fmt::format("duplicate `{}` in one entry", field.name.text));
  fields.push_back(std::move(field));
  return {};
}

class EntryReader {
 public:
  EntryReader(std::string_view list, std::string_view source) : list_(list), source_(source) {}

  Result<void> line(std::string_view text) {
    ++line_;
    const std::string_view bare = trimmed(text);
    if (bare.empty() || bare.starts_with('#')) return {};
    if (!open_.text.empty()) {
      open_.text += " " + std::string(bare);
      return bare.ends_with(']') ? close() : Result<void>();
    }
    const int column = static_cast<int>(bare.data() - text.data()) + 1;
    if (!begun_) return begin({std::string(bare), line_, column});
    return bare.starts_with("- ") ? item(bare, column) : key({std::string(bare), line_, column});
  }

  Result<std::vector<Entry>> finish() {
    if (!open_.text.empty())
      return refuse(place(source_, open_), "the list in brackets is not closed", "close it with ]");
    if (!begun_)
      return refuse(std::string(source_), fmt::format("`{}:` is missing", list_), "it begins the list");
    return std::move(entries_);
  }

 private:
  Result<void> begin(const PlacedText& text) {
    begun_ = text.text == std::string(list_) + ":";
    if (begun_) return {};
    return refuse(place(source_, text), fmt::format("`{}` is not `{}:`", text.text, list_),
                  fmt::format("begin the list with `{}:`", list_));
  }

  Result<void> item(std::string_view bare, int column) {
    const std::string_view rest = trimmed(bare.substr(2));
    const PlacedText text{std::string(rest), line_, column + static_cast<int>(rest.data() - bare.data())};
    if (!entries_.empty() && column > column_) return item_of_field(text);
    column_ = column;
    entries_.push_back({line_, {}, line_});
    if (!rest.starts_with('{')) return key(text);
    GRADSIM_TRY(fields, read_flow(text, source_));
    entries_.back().fields = std::move(*fields);
    return {};
  }

  Result<void> item_of_field(const PlacedText& text) {
    auto& fields = entries_.back().fields;
    entries_.back().last_line = line_;
    if (fields.empty() || fields.back().value)
      return refuse(place(source_, text), fmt::format("`{}` is outside of any list", text.text),
                    "start a list by a line `name:`");
    fields.back().items.push_back(text);
    return {};
  }

  Result<void> key(const PlacedText& text) {
    if (entries_.empty())
      return refuse(place(source_, text), fmt::format("`{}` is before the first entry", text.text),
                    "start an entry with `- `");
    entries_.back().last_line = line_;
    open_ = text;
    return opens_list(text.text) ? Result<void>() : close();
  }

  Result<void> close() {
    const PlacedText text = std::exchange(open_, {});
    entries_.back().last_line = line_;
    GRADSIM_TRY(field, read_field(text, source_));
    return add(entries_.back().fields, std::move(*field), source_);
  }

  std::string_view list_;
  std::string_view source_;
  int line_ = 0;
  int column_ = 1;  // column of the entries' `-`
  bool begun_ = false;
  PlacedText open_{};  // a list in brackets whose end is still to come
  std::vector<Entry> entries_;
};

}  // namespace

Result<std::vector<Field>> read_flow(const PlacedText& text, std::string_view source) {
  if (!text.text.starts_with('{') || !text.text.ends_with('}'))
    return refuse(place(source, text), fmt::format("`{}` is not an entry on one line", text.text),
                  "accepted: {name: value, name: value}");
  std::vector<Field> fields;
  for (const PlacedText& piece : pieces_of(inside_of(text))) {
    GRADSIM_TRY(field, read_field(piece, source));
    if (auto added = add(fields, std::move(*field), source); !added) return tl::unexpected(added.error());
  }
  return fields;
}

Result<std::vector<PlacedText>> read_list(const PlacedText& text, std::string_view source) {
  if (!text.text.starts_with('[') || !text.text.ends_with(']'))
    return refuse(place(source, text), fmt::format("`{}` is not a list", text.text),
                  "accepted: [item, item]");
  return pieces_of(inside_of(text));
}

Result<std::vector<Entry>> read_entries(std::string_view text, std::string_view list,
                                        std::string_view source) {
  EntryReader reader(list, source);
  for (const std::string_view line : lines_of(text)) {
    if (const auto read = reader.line(line); !read) return tl::unexpected(read.error());
  }
  return reader.finish();
}

std::string quoted(std::string_view text) {
  std::string inside;
  for (const char c : text) inside += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  return "'" + inside + "'";
}

Result<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('\'') || !text.ends_with('\'')) return std::string(text);
  std::string inside;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\'' && text[++i] != '\'')
      return refuse("", "unescaped quote inside the text", "write it twice");
    inside += text[i];
  }
  return inside;
}

std::string place(std::string_view source, const PlacedText& text) {
  return place(source, text.line, text.column);
}

}  // namespace files
