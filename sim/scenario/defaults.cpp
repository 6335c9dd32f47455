// Writes defaults into trees of values.
#include "sim/scenario/defaults.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sim::scenario {
namespace {

using settings::Key;
using settings::Type;

/// Rebuilds one map.
class DefaultsWriter final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  explicit DefaultsWriter(const Value& written)
      : written_(written), result_(Value::map({}, written.origin())) {}

  void field(const Key& key, const Type& type, void*) override {
    if (const Value* value = written_.find(key.name)) return put(key.name, with_defaults(*value, type));
    if (key.fallback) return put(key.name, Value::scalar(std::string(*key.fallback), Origin()));
    if (type.kind == Type::Kind::map && key.need == settings::Need::by_type)
      put(key.name, with_defaults(Value::map({}, Origin()), type));
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
    if (const Value* value = written_.find(key.name)) put(key.name, *value);
  }

  void figure(const Key& key, std::optional<double>& target, std::string_view) override {
    field(key, settings::type_of<double>(), &target);
  }

  Value finish() {
    for (const Member& member : written_.members()) {
      if (!result_.find(member.key)) put(member.key, member.value);
    }
    return std::move(result_);
  }

 private:
  void alternative(bool chosen, std::string_view, Rest describe_rest, void* rest) override {
    if (chosen) describe_rest(rest, *this);
  }
  void put(std::string_view key, Value value) { result_.set(key, std::move(value)); }

  const Value& written_;
  Value result_;
};

}  // namespace

Value with_defaults(const Value& value, const Type& type) {
  switch (type.kind) {
    case Type::Kind::optional: return with_defaults(value, *type.inner);
    case Type::Kind::list: {
      if (type.inner->kind != Type::Kind::map || !value.is_list()) return value;
      std::vector<Value> items;
      for (const Value& item : value.items()) items.push_back(with_defaults(item, *type.inner));
      return Value::list(std::move(items), value.origin());
    }
    case Type::Kind::map: {
      if (!value.is_map()) return value;
      DefaultsWriter writer(value);
      type.describe_default(writer);
      return writer.finish();
    }
    default: return value;
  }
}

}  // namespace sim::scenario
