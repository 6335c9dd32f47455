// Walks every described key, with all alternatives.
#include "sim/scenario/declarations.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "settings/type.hpp"
#include "sim/scenario/fields_scenario.hpp"

namespace sim::scenario {
namespace {

using settings::Key;
using settings::TableWord;
using settings::Type;

/// Collects the declarations of one map and of those inside.
class DeclarationCollector final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  DeclarationCollector(const Type& type, std::string path, std::vector<Declared>& found)
      : type_(type), path_(std::move(path)), found_(found) {}

  void field(const Key& key, const Type& type, void*) override {
    const Type* held = &type;
    std::string path = join(key.name);
    while (held->kind == Type::Kind::optional || held->kind == Type::Kind::list) {
      if (held->kind == Type::Kind::list && held->inner->kind == Type::Kind::map) path += "[]";
      held = held->inner;
    }
    add_key(key);
    add_words(key, key.words != nullptr ? key.words() : held->table);
    if (held->kind == Type::Kind::map) collect(*held, path);
  }

  void choice(const Key& key, const Type& type, void* target) override { field(key, type, target); }
  void deferred(const Key& key) override { add_key(key); }
  void figure(const Key& key, std::optional<double>&, std::string_view) override { add_key(key); }
  void beside(const Type& type, void* target) override {
    type.describe(*this, target);
    add_conditions(type);
  }

  void collect(const Type& type, const std::string& path) {
    DeclarationCollector inner(type, path, found_);
    type.describe_default(inner);
    inner.add_conditions(type);
  }

 private:
  void alternative(bool, std::string_view word, Rest describe_rest, void* rest) override {
    owner_ = fmt::format("`{}: {}`", path_, word);
    describe_rest(rest, *this);
    owner_.clear();
  }

  [[nodiscard]] std::string join(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  /// A setting of several rows is one.
  void add(Declared declared) {
    auto known = std::ranges::find_if(found_, [&](const Declared& one) {
      return one.label == declared.label && one.demands == declared.demands;
    });
    if (known == found_.end()) known = found_.insert(found_.end(), std::move(declared));
    if (!owner_.empty()) known->owners.push_back(owner_);
  }

  void add_key(const Key& key) {
    if (key.demands.empty()) return;
    add({.path = join(key.name),
         .label = fmt::format("`{}`", join(key.name)),
         .example = key.example.empty() ? join(key.name) : fmt::format("{}: {}", join(key.name), key.example),
         .demands = key.demands});
  }

  void add_words(const Key& key, std::span<const TableWord> words) {
    if (std::ranges::all_of(words, [](const TableWord& word) { return word.demands.empty(); })) return;
    const std::string path = key.name == type_.choice_key && !path_.empty() ? path_ : join(key.name);
    for (const TableWord& word : words) {
      add({.path = join(key.name),
           .label = fmt::format("`{}: {}`", path, word.name),
           .example = fmt::format("{}: {}", path, word.example.empty() ? word.name : word.example),
           .is_word = true,
           .demands = word.demands});
    }
  }

  void add_conditions(const Type& type) {
    for (const settings::Condition& condition : type.conditions) {
      const std::string key = condition.key.empty() ? path_ : join(condition.key);
      const std::string label =
          condition.when.empty() ? fmt::format("`{}`", key) : fmt::format("`{}` {}", key, condition.when);
      const std::string example =
          condition.example.empty() ? key : fmt::format("{}: {}", key, condition.example);
      add({.path = key,
           .label = label,
           .example = example,
           .is_condition = true,
           .demands = condition.demands});
    }
  }

  const Type& type_;
  std::string path_;
  std::string owner_;  ///< row whose settings are described; empty: none
  std::vector<Declared>& found_;
};

std::vector<Declared> collect_all() {
  std::vector<Declared> found;
  DeclarationCollector collector(settings::type_of<Scenario>(), "", found);
  collector.collect(settings::type_of<Scenario>(), "");
  return found;
}

}  // namespace

std::span<const Declared> declarations() {
  static const std::vector<Declared> all = collect_all();
  return all;
}

}  // namespace sim::scenario
