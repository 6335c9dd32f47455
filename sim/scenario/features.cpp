// Walks the described keys of a filled struct beside the tree that it was read from.
#include "sim/scenario/features.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/language/place.hpp"
#include "sim/language/reader.hpp"
#include "sim/language/text_file.hpp"

namespace sim::scenario {
namespace {

using language::Value;
using settings::Key;
using settings::Type;

/// Where features go, and whether other words of their keys are wanted.
struct Collection {
  std::vector<Feature>& found;
  bool alternatives = false;
};

void collect(const Type& type, void* target, const Value* written, const std::string& path,
             const Collection& into);

/// Whether two texts are one value of a key.
bool is_same(const Key& key, const Type& type, std::string_view one, std::string_view other) {
  if (one == other) return true;
  const auto number = [&](std::string_view text) -> netmodels::Result<double> {
    if (type.kind == Type::Kind::quantity) return type.parse(text);
    return language::parse_number(text, key.share);
  };
  if (type.kind != Type::Kind::quantity && type.kind != Type::Kind::number) return false;
  const auto first = number(one);
  const auto second = number(other);
  return first && second && *first == *second;
}

/// Whether a value says something else than the key's default.
bool is_stated(const Value* written, const Key& key, const Type& type) {
  if (written == nullptr || written->kind() == Value::Kind::nothing) return false;
  if (written->is_list() && written->items().empty()) return false;
  return !key.fallback || !written->is_scalar() || !is_same(key, type, written->text(), *key.fallback);
}

/// Whether it, or another word of its key, declares anything.
bool declares(const Feature& feature) {
  const auto says_something = [](const Alternative& other) { return !other.demands.empty(); };
  return !feature.demands.empty() || std::ranges::any_of(feature.alternatives, says_something);
}

void add(Feature feature, const Collection& into) {
  if (declares(feature)) into.found.push_back(std::move(feature));
}

/// A chosen word or row, which counts whether the file states it or not.
/// @param label_path  by which a file may write the key in short
Feature word_feature(std::span<const settings::TableWord> words, std::string_view chosen,
                     const std::string& path, const std::string& label_path, bool alternatives) {
  Feature feature{.path = path, .label = fmt::format("`{}: {}`", label_path, chosen), .demands = {}};
  for (const settings::TableWord& word : words) {
    if (word.name == chosen)
      feature.demands = word.demands;
    else if (alternatives)
      feature.alternatives.push_back(
          {fmt::format("{}: {}", label_path, word.example.empty() ? word.name : word.example), word.demands});
  }
  return feature;
}

bool declares_nothing(std::span<const settings::TableWord> words, std::string_view word) {
  const auto chosen = std::ranges::find(words, word, &settings::TableWord::name);
  return chosen == words.end() || chosen->demands.empty();
}

bool holds_maps(const Type& type) {
  return type.kind == Type::Kind::list && type.inner->kind == Type::Kind::map;
}

/// Collects the features of one map.
class FeatureCollector final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  /// @param written  a map, the word of its choice key, or null: nothing is written
  FeatureCollector(const Type& type, const Value* written, std::string path, const Collection& into)
      : type_(type), written_(written), path_(std::move(path)), into_(into) {}

  void field(const Key& key, const Type& type, void* target) override {
    const Value* value = value_of(key);
    const Type* held = &type;
    if (type.kind == Type::Kind::optional) {
      held = type.inner;
      target = type.count(target) > 0 ? type.item(target, 0) : nullptr;
    }
    if (!key.demands.empty() && is_stated(value, key, *held))
      add({.path = join(key.name), .label = label_of(key, *held, *value), .demands = key.demands}, into_);
    if (target == nullptr) return;
    if (held->kind == Type::Kind::list && key.words != nullptr) return add_each(key, *held, target);
    const std::span<const settings::TableWord> words = key.words != nullptr ? key.words() : held->table;
    if (!words.empty())
      add_word(key, words, held->text(target), type.kind == Type::Kind::optional);
    else if (held->kind == Type::Kind::map || holds_maps(*held))
      collect(*held, target, value, join(key.name), into_);
  }

  void choice(const Key& key, const Type& type, void* target) override { field(key, type, target); }

  void deferred(const Key& key) override {
    if (!is_stated(value_of(key), key, settings::type_of<std::string>())) return;
    add({.path = join(key.name), .label = fmt::format("`{}`", join(key.name)), .demands = key.demands},
        into_);
  }

  void beside(const Type& type, void* target) override { collect(type, target, written_, path_, into_); }

  void figure(const Key& key, std::optional<double>& target, std::string_view) override {
    field(key, settings::type_of<std::optional<double>>(), &target);
  }

 private:
  void alternative(bool chosen, std::string_view, Rest describe_rest, void* rest) override {
    if (chosen) describe_rest(rest, *this);
  }

  /// @param optional  whether the key may be left out, and then says nothing
  void add_word(const Key& key, std::span<const settings::TableWord> words, const std::string& word,
                bool optional) {
    if (!into_.alternatives && declares_nothing(words, word)) return;
    Feature feature = word_feature(words, word, join(key.name), short_path(key), into_.alternatives);
    if (optional && into_.alternatives && declares(feature)) feature.alternatives.push_back({"", {}});
    add(std::move(feature), into_);
  }

  /// Rows that a list names.
  void add_each(const Key& key, const Type& list, void* target) {
    for (std::size_t i = 0; i < list.count(target); ++i) {
      const std::string name = list.inner->text(list.item(target, i));
      Feature feature =
          word_feature(key.words(), name, language::item(join(key.name), i), join(key.name), false);
      feature.word = name;
      add(std::move(feature), into_);
    }
  }

  [[nodiscard]] const Value* value_of(const Key& key) const {
    if (written_ == nullptr) return nullptr;
    if (written_->is_scalar()) return key.name == type_.choice_key ? written_ : nullptr;
    return written_->find(key.name);
  }

  [[nodiscard]] std::string join(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  /// With what is written for it, where that is short: no path of a file.
  [[nodiscard]] std::string label_of(const Key& key, const Type& type, const Value& value) const {
    constexpr std::size_t most = 24;
    const bool is_file = type.kind == Type::Kind::text && language::is_path(value.text());
    const bool is_short = value.is_scalar() && value.text().size() <= most && !is_file;
    return is_short ? fmt::format("`{}: {}`", short_path(key), value.text())
                    : fmt::format("`{}`", join(key.name));
  }

  [[nodiscard]] std::string short_path(const Key& key) const {
    return key.name == type_.choice_key && !path_.empty() ? path_ : join(key.name);
  }

  const Type& type_;
  const Value* written_;
  std::string path_;
  const Collection& into_;
};

/// The declarations of a struct that hold for its values.
void collect_conditions(const Type& type, const void* target, const std::string& path,
                        const Collection& into) {
  for (const settings::Condition& condition : type.conditions) {
    if (!condition.holds(target)) continue;
    const std::string key = condition.key.empty() ? path
                            : path.empty()        ? std::string(condition.key)
                                                  : fmt::format("{}.{}", path, condition.key);
    const std::string label =
        condition.when.empty() ? fmt::format("`{}`", key) : fmt::format("`{}` {}", key, condition.when);
    add({.path = key, .label = label, .demands = condition.demands, .is_required = condition.is_required},
        into);
  }
}

void collect(const Type& type, void* target, const Value* written, const std::string& path,
             const Collection& into) {
  if (type.kind == Type::Kind::list) {
    for (std::size_t i = 0; i < type.count(target); ++i) {
      const bool each = written != nullptr && written->is_list() && i < written->items().size();
      collect(*type.inner, type.item(target, i), each ? &written->items()[i] : written,
              language::item(path, i), into);
    }
  }
  if (type.kind != Type::Kind::map) return;
  FeatureCollector collector(type, written, path, into);
  type.describe(collector, target);
  collect_conditions(type, target, path, into);
}

}  // namespace

std::string Feature::leave_out() const {
  return word.empty()
             ? path.substr(0, path.rfind("].") == std::string::npos ? path.size() : path.rfind("].") + 1)
             : word;
}

std::vector<Feature> features_of(const Type& type, void* target, const Value& tree, OtherWords words) {
  std::vector<Feature> found;
  collect(type, target, &tree, "", {found, words == OtherWords::listed});
  return found;
}

}  // namespace sim::scenario
