// Files that are a list of flat entries: the small part of YAML that calibrate writes and reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace files {

/// A value with its place, both counted from 1.
struct PlacedText {
  std::string text;  ///< as written, quotes included
  int line = 1;
  int column = 1;
};

/// `name: value`, `name: [item, item]`, or `name:` with lines `- item` below it.
struct Field {
  PlacedText name;
  std::optional<PlacedText> value;  ///< nothing where there are items
  std::vector<PlacedText> items;
};

/// One entry of the list.
struct Entry {
  int line = 1;  ///< line of its first key
  std::vector<Field> fields;
  int last_line = 1;
};

/// Reads `LIST:` and the entries below it, each begun by `- `; an entry is a block of `name: value` lines, or
/// `{name: value, ...}` on one line. `#` begins a comment on its own line. A list in brackets may go
/// over several lines. Every text is also YAML; anchors, texts over several lines, and entries inside entries
/// are not read.
/// @param list    the only key at the top
/// @param source  named in errors, as `source:line:column`
/// @returns as many entries as there are, perhaps none, or an Error for any other line, or a name
///          that appears twice in one entry
netmodels::Result<std::vector<Entry>> read_entries(std::string_view text, std::string_view list,
                                                   std::string_view source);

/// The fields of `{name: value, name: [item, item]}`.
/// @param source  named in errors, with the place of the text
netmodels::Result<std::vector<Field>> read_flow(const PlacedText& text, std::string_view source);

/// The items of `[item, item]`.
/// @param source  named in errors, with the place of the text
netmodels::Result<std::vector<PlacedText>> read_list(const PlacedText& text, std::string_view source);

/// Text in single quotes, as YAML reads any text on one line.
std::string quoted(std::string_view text);

/// The text without its single quotes; as it is where it has none.
/// @returns an Error with an empty `where` for a quote inside that is not written twice
netmodels::Result<std::string> unquoted(std::string_view text);

/// `place` of a text that was read.
std::string place(std::string_view source, const PlacedText& text);

}  // namespace files
