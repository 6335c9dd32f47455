// Writes defaults into trees of values, and trees as YAML.
#include "sim/language/print.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sim::language {

// Writes defaults into trees of values.

namespace {

using settings::Key;
using settings::Type;

/// Rebuilds one map.
class DefaultsWriter final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  /// @param over  see `with_defaults`
  DefaultsWriter(const Value& written, const Type& type, const std::vector<const Value*>& over)
      : written_(written),
        over_(over),
        changes_(names_another(written, type, over)),
        result_(Value::map({}, written.origin())) {}

  void field(const Key& key, const Type& type, void*) override {
    if (const Value* value = written_.find(key.name))
      return insert(key.name, with_defaults(*value, type, inside(key.name)));
    if (key.fallback) return insert(key.name, Value::scalar(std::string(*key.fallback), Origin()));
    if (type.kind == Type::Kind::map && key.need == settings::Need::by_type)
      insert(key.name, with_defaults(Value::map({}, Origin()), type, inside(key.name)));
  }

  void choice(const Key& key, const Type& type, void* target) override {
    field(key, type, target);
    const Value* word = written_.find(key.name);
    if (word == nullptr) return;
    const auto named = std::ranges::find(type.words, word->text());
    if (named != type.words.end())
      type.set_word(target, static_cast<std::size_t>(named - type.words.begin()));
  }

  void deferred(const Key& key) override {
    if (const Value* value = written_.find(key.name)) insert(key.name, *value);
  }

  void figure(const Key& key, std::optional<double>& target, std::string_view) override {
    field(key, settings::type_of<double>(), &target);
  }

  Value finish() {
    for (const Member& member : written_.members()) {
      if (!result_.find(member.key)) insert(member.key, member.value);
    }
    return std::move(result_);
  }

 private:
  void alternative(bool chosen, std::string_view, Rest describe_rest, void* rest) override {
    if (chosen && !changes_) describe_rest(rest, *this);
  }

  /// Whether one of `over` names another kind than the map below does.
  static bool names_another(const Value& written, const Type& type, const std::vector<const Value*>& over) {
    const Value* word = written.find(type.choice_key);
    return word != nullptr && std::ranges::any_of(over, [&](const Value* above) {
             const Value* other = above->is_scalar() ? above : above->find(type.choice_key);
             return other != nullptr && other->is_scalar() && other->text() != word->text();
           });
  }

  [[nodiscard]] std::vector<const Value*> inside(std::string_view key) const {
    std::vector<const Value*> found;
    for (const Value* above : over_) {
      if (const Value* value = above->find(key)) found.push_back(value);
    }
    return found;
  }

  void insert(std::string_view key, Value value) { result_.set(key, std::move(value)); }

  const Value& written_;
  const std::vector<const Value*>& over_;
  bool changes_;
  Value result_;
};

}  // namespace

Value with_defaults(const Value& value, const Type& type, const std::vector<const Value*>& over) {
  switch (type.kind) {
    case Type::Kind::optional: return with_defaults(value, *type.inner, over);
    case Type::Kind::list: {
      if (type.inner->kind != Type::Kind::map || !value.is_list()) return value;
      std::vector<Value> items;
      for (const Value& item : value.items()) items.push_back(with_defaults(item, *type.inner));
      return Value::list(std::move(items), value.origin());
    }
    case Type::Kind::map: {
      if (!value.is_map()) return value;
      DefaultsWriter writer(value, type, over);
      type.describe_default(writer);
      return writer.finish();
    }
    default: return value;
  }
}

// Writes a tree of values as YAML, with the origin of each value after it.

namespace {

constexpr std::size_t comment_column = 44;  ///< begin of origins, so that values can be read down the page

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

std::string flow(const Value& value) {
  if (value.is_scalar()) return yaml_scalar(value.text(), value.quoted());
  if (value.kind() == Value::Kind::nothing) return "null";
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const Value& item : value.items()) add(flow(item));
  for (const Member& member : value.members())
    add(yaml_scalar(member.key, false) + ": " + flow(member.value));
  return value.is_map() ? "{" + text + "}" : "[" + text + "]";
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

/// @param first written before the first key in place of the indentation, for a map that is an item of a list
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

std::string print_on_one_line(const Value& value) { return flow(value); }

std::string print_tree(const Value& root) {
  std::string out;
  print_members(out, root, 0, {});
  return out;
}

}  // namespace sim::language
