// The visitor that writes every default into a tree of values, in the order in which keys are described.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/scenario/field.hpp"
#include "sim/scenario/read_scalar.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

template <class T>
Value with_defaults(const Value& value);

/// Rebuilds one map: described keys first, each as written or by default, then whatever else stands there.
class DefaultsVisitor {
 public:
  explicit DefaultsVisitor(const Value& written)
      : written_(written), result_(Value::map({}, written.origin())) {}

  template <class T>
  void field(const Key& key, T&) {
    if (const Value* value = written_.find(key.name)) return put(key.name, with_defaults<T>(*value));
    if (key.fallback) return put(key.name, Value::scalar(std::string(*key.fallback), Origin()));
    if constexpr (Described<T>) {
      if (key.need == Need::by_type) put(key.name, with_defaults<T>(Value::map({}, Origin())));
    }
  }

  template <Enumeration E>
  void choice(const Key& key, E& target) {
    field(key, target);
    const Value* word = written_.find(key.name);
    for (const Named<E>& named : names_of<E>) {
      if (word && word->text() == named.name) target = named.value;
    }
  }

  template <class E, class F>
  void when(E wanted, E actual, F describe_rest) {
    if (wanted == actual) describe_rest(*this);
  }

  template <class T>
  void workload(const Key& key, T&) {
    if (const Value* value = written_.find(key.name)) put(key.name, *value);
  }

  void figure(const Key& key, std::optional<double>& target, const std::string&) { field(key, target); }

  Value finish() {
    for (const Member& member : written_.members()) {
      if (!result_.find(member.key)) put(member.key, member.value);
    }
    return std::move(result_);
  }

 private:
  void put(std::string_view key, Value value) { result_.set(key, std::move(value)); }

  const Value& written_;
  Value result_;
};

template <class T>
constexpr bool is_described_list = false;
template <Described T>
constexpr bool is_described_list<std::vector<T>> = true;

/// The value with the defaults of everything that a map in it describes.
template <class T>
Value with_defaults(const Value& value) {
  if constexpr (is_optional<T>)
    return with_defaults<typename T::value_type>(value);
  else if constexpr (is_described_list<T>) {
    if (!value.is_list()) return value;
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(with_defaults<typename T::value_type>(item));
    return Value::list(std::move(items), value.origin());
  } else if constexpr (Described<T>) {
    if (!value.is_map()) return value;
    T unread{};
    DefaultsVisitor visitor(value);
    describe(visitor, unread);
    return visitor.finish();
  } else
    return value;
}

}  // namespace sim::scenario
