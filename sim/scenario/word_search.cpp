// Walks a scenario beside the descriptions of its keys.
#include "sim/scenario/word_search.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/scenario/fields_scenario.hpp"
#include "sim/scenario/words_of_others.hpp"
#include "sim/scenario/written_range.hpp"

namespace sim::scenario {
namespace {

using language::Member;
using language::Value;
using settings::Key;
using settings::Type;

netmodels::Error unknown(const std::string& path, const Member& member, std::string hint) {
  return {member.origin.text(), "unknown key `" + path + "`", std::move(hint), {{path, {}}}, {}};
}

/// Whether a change can write the key: no single value lies on its path.
bool has_room(const Value& root, std::string_view key) {
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
    const Value* above = language::find_path(root, key.substr(0, dot));
    if (above != nullptr && !above->is_map()) return false;
  }
  return true;
}

/// A clause after a colon; empty where there is none.
std::string after_colon(std::string_view text) { return text.empty() ? "" : ": " + std::string(text); }

netmodels::Error error_of(const KeyOfOthers& row, const std::string& path, const Member& member,
                          const Value& root) {
  if (row.key.empty()) return unknown(path, member, fmt::format("not modelled: {}; leave it out", row.text));
  const std::string key(row.key);
  const Value* stated = language::find_path(root, key);
  const bool beside = stated != nullptr && stated->origin().source() == member.origin.source();
  if (row.convert != nullptr && beside)
    return unknown(path, member, fmt::format("leave it out: `{}` is stated already", key));
  const std::optional<std::string> value =
      row.convert == nullptr ? std::nullopt : row.convert(member.value, root);
  if (!value || !has_room(root, key))
    return unknown(path, member, fmt::format("write `{}`{}", key, after_colon(row.text)));
  netmodels::Error error =
      unknown(path, member, fmt::format("write `{}: {}`{}", key, *value, after_colon(row.text)));
  error.remedy.push_back({key, *value});
  return error;
}

/// Keys of one map and what lies inside.
class WordSearch final : public settings::Fields {
 public:
  WordSearch(const Value& map, std::string path, const Value& root, std::vector<netmodels::Error>& found)
      : map_(map), path_(std::move(path)), root_(root), found_(found) {}

  using Fields::field;
  void field(const Key& key, const Type& type, void*) override {
    known_.push_back(key.name);
    if (const Value* value = map_.find(key.name)) enter(*value, type, join(key.name));
  }
  void deferred(const Key& key) override { known_.push_back(key.name); }
  void figure(const Key& key, std::optional<double>&, std::string_view) override {
    known_.push_back(key.name);
  }

  /// Into the maps of a value, also within lists.
  void enter(const Value& value, const Type& type, const std::string& path) {
    if (type.kind == Type::Kind::optional) return enter(value, *type.inner, path);
    if (type.kind == Type::Kind::list && value.is_list()) return enter_items(value, *type.inner, path);
    if (type.kind == Type::Kind::word) return add_value(value, type.words, path);
    if (type.kind == Type::Kind::quantity || type.kind == Type::Kind::number) {
      add_value(value, {}, path);
      return add_range(value, type, path);
    }
    if (type.kind != Type::Kind::map) return;
    if (value.is_map()) return search(value, type, path);
    if (!type.choice_key.empty()) add_value(value, {}, fmt::format("{}.{}", path, type.choice_key));
  }

  /// One map with the keys of a type.
  void search(const Value& map, const Type& type, const std::string& path) {
    WordSearch inner(map, path, root_, found_);
    type.describe_default(inner);
    inner.finish();
  }

 private:
  void alternative(bool, std::string_view, Rest describe_rest, void* rest) override {
    describe_rest(rest, *this);
  }

  void enter_items(const Value& list, const Type& type, const std::string& path) {
    for (std::size_t i = 0; i < list.items().size(); ++i)
      enter(list.items()[i], type, fmt::format("{}[{}]", path, i));
  }

  [[nodiscard]] std::string join(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  void add_value(const Value& value, std::span<const std::string_view> words, const std::string& path) {
    if (!value.is_scalar() || std::ranges::find(words, value.text()) != words.end()) return;
    for (const ValueOfOthers& row : values_of_others()) {
      if (row.key != path || !is_same_word(row.name, value.text())) continue;
      found_.push_back({value.origin().text(),
                        fmt::format("`{}`: unknown value `{}`", path, value.text()),
                        fmt::format("write `{}`", row.value),
                        {{path, std::string(row.value)}},
                        {}});
      return;
    }
  }

  /// A range that is written as one text.
  void add_range(const Value& value, const Type& type, const std::string& path) {
    if (!value.is_scalar()) return;
    const auto range = written_range(value.text(), type);
    if (!range) return;
    found_.push_back({value.origin().text(),
                      fmt::format("`{}`: `{}` is a range; expected one value", path, value.text()),
                      fmt::format("write one value, or `{}`", *range),
                      {{path, *range}},
                      {}});
  }

  void finish() {
    for (const Member& member : map_.members()) {
      if (std::ranges::find(known_, member.key) != known_.end()) continue;
      if (const KeyOfOthers* row = find_row(member.key))
        found_.push_back(error_of(*row, join(member.key), member, root_));
    }
  }

  /// Rows of this map first.
  [[nodiscard]] const KeyOfOthers* find_row(const std::string& word) const {
    const KeyOfOthers* anywhere = nullptr;
    for (const KeyOfOthers& row : keys_of_others()) {
      if (!is_same_word(row.name, word)) continue;
      if (row.in == path_ && !row.in.empty()) return &row;
      if (row.in.empty() && anywhere == nullptr) anywhere = &row;
    }
    return anywhere;
  }

  const Value& map_;
  std::string path_;
  const Value& root_;
  std::vector<netmodels::Error>& found_;
  std::vector<std::string_view> known_;
};

}  // namespace

std::vector<netmodels::Error> find_words_of_others(const Value& root) {
  std::vector<netmodels::Error> found;
  if (!root.is_map()) return found;
  WordSearch search(root, "", root, found);
  search.search(root, settings::type_of<Scenario>(), "");
  const Value* workload = root.find("workload");
  if (workload != nullptr && workload->is_map())
    search.search(*workload, inputs::workload_type(*workload), "workload");
  return found;
}

}  // namespace sim::scenario
