// The visitor that fills scenario structs from a tree of values, and refuses what it cannot take.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/scenario/metric.hpp"
#include "sim/scenario/read_scalar.hpp"

namespace sim::scenario {

/// Reads `field` into `target`; the first thing that is wrong comes back.
template <class T>
netmodels::Result<void> read_value(const Field& field, T& target);

/// Names of the keys that a part of a description has.
class KeyNames {
 public:
  template <class T>
  void field(const Key& key, T&) {
    names_.push_back(key.name);
  }
  template <class E>
  void choice(const Key& key, E&) {
    names_.push_back(key.name);
  }
  template <class E, class F>
  void when(E, E, F describe_rest) {
    describe_rest(*this);
  }
  template <class T>
  void workload(const Key& key, T&) {
    names_.push_back(key.name);
  }
  template <class T>
  void figure(const Key& key, T&, const std::string&) {
    names_.push_back(key.name);
  }
  [[nodiscard]] const std::vector<std::string_view>& names() const { return names_; }

 private:
  std::vector<std::string_view> names_;
};

/// Visits the described keys of one map. Every key it is not asked for is unknown.
class Reader {
 public:
  Reader(const Value& map, std::string path) : map_(map), path_(std::move(path)) {}

  template <class T>
  void field(const Key& key, T& target) {
    known_.push_back(key.name);
    if (const Value* value = map_.find(key.name))
      return keep(read_value(Field{*value, join(key.name), key}, target));
    if (key.fallback)
      return keep(read_value(Field{Value::scalar(std::string(*key.fallback), Origin()), join(key.name), key},
                             target));
    if (key.need == Need::required) return missing(key);
    if (key.need == Need::optional || is_optional<T> || is_vector<T>) return;
    if constexpr (Described<T>)
      keep(read_value(Field{Value::map({}, map_.origin()), join(key.name), key}, target));
    else
      missing(key);
  }

  template <class E>
  void choice(const Key& key, E& target) {
    choice_ = key.name;
    field(key, target);
  }

  template <class E, class F>
  void when(E wanted, E actual, F describe_rest) {
    if (wanted == actual) return describe_rest(*this);
    KeyNames keys;
    describe_rest(keys);
    for (const std::string_view key : keys.names()) elsewhere_.push_back({key, name_of(wanted)});
  }

  /// Read elsewhere, because it may be a file.
  template <class T>
  void workload(const Key& key, T&) {
    known_.push_back(key.name);
    if (!map_.find(key.name)) missing(key);
  }

  void figure(const Key& key, std::optional<double>& target, const std::string& metric);

  /// The first thing that was wrong; an unknown key comes first, because it explains a missing one.
  netmodels::Result<void> finish();

 private:
  /// A key of the map where its choice is this word.
  struct Elsewhere {
    std::string_view key, choice;
  };

  [[nodiscard]] std::string join(std::string_view name) const;
  [[nodiscard]] std::string mend_of_unknown(std::string_view key) const;
  void missing(const Key& key);
  void keep(const netmodels::Result<void>& result) {
    if (!result && !error_) error_ = result.error();
  }

  const Value& map_;
  std::string path_;
  std::vector<std::string_view> known_;
  std::string_view choice_;  ///< the key that chooses; empty where none does
  std::vector<Elsewhere> elsewhere_;
  std::optional<netmodels::Error> error_;
};

/// Conditions within one struct that no single key can state.
netmodels::Result<void> check_struct(const Field& field, const LinkChange& change);
netmodels::Result<void> check_struct(const Field& field, const Failure& failure);
netmodels::Result<void> check_struct(const Field& field, const Slowdown& slowdown);
netmodels::Result<void> check_struct(const Field& field, const Topology& topology);
netmodels::Result<void> check_struct(const Field& field, const StreamRateChange& change);
template <class T>
netmodels::Result<void> check_struct(const Field&, const T&) {
  return {};
}

/// A map is expected and something else stands there.
tl::unexpected<netmodels::Error> refuse_shape(const Field& field, std::string_view expected);

template <Described T>
netmodels::Result<void> read_map(const Field& field, T& target) {
  if (!choice_key<T>.empty() && field.value.is_scalar()) {
    Value map = Value::map({}, field.value.origin());
    map.set(choice_key<T>, field.value);
    return read_map(Field{map, field.path, field.key}, target);
  }
  if (!field.value.is_map()) return refuse_shape(field, "a map of keys");
  Reader reader(field.value, field.path);
  describe(reader, target);
  if (auto finished = reader.finish(); !finished) return finished;
  return check_struct(field, target);
}

template <class T>
netmodels::Result<void> read_list(const Field& field, std::vector<T>& target) {
  if (!field.value.is_list()) {
    if (Described<T> || !field.value.is_scalar()) return refuse_shape(field, "a list");
    T single{};
    auto read = read_value(field, single);
    if (read) target = {std::move(single)};
    return read;
  }
  if (field.value.items().empty() && field.key.need == Need::required)
    return refuse_shape(field, "a list with something in it");
  target.clear();
  for (std::size_t i = 0; i < field.value.items().size(); ++i) {
    T item{};
    const Field inner{field.value.items()[i], field.path + "[" + std::to_string(i) + "]", field.key};
    if (auto read = read_value(inner, item); !read) return read;
    target.push_back(std::move(item));
  }
  return {};
}

/// Puts what was read into its place.
template <class T, class U>
netmodels::Result<void> store(netmodels::Result<U> read, T& target) {
  if (!read) return tl::unexpected(std::move(read.error()));
  target = static_cast<T>(std::move(*read));
  return {};
}

template <class T>
constexpr bool is_quantity = false;
template <int T, int D, int W, int M>
constexpr bool is_quantity<netmodels::Quantity<T, D, W, M>> = true;

template <Enumeration E>
netmodels::Result<void> read_enumeration(const Field& field, E& target) {
  const auto index = read_word(field, all_names<E>());
  if (!index) return tl::unexpected(index.error());
  target = names_of<E>[*index].value;
  return {};
}

template <std::integral T>
constexpr std::int64_t most_of = std::in_range<std::int64_t>(std::numeric_limits<T>::max())
                                     ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                     : std::numeric_limits<std::int64_t>::max();

template <class T>
netmodels::Result<void> read_value(const Field& field, T& target) {
  if constexpr (is_optional<T>) {
    typename T::value_type inner{};
    auto read = read_value(field, inner);
    if (read) target = std::move(inner);
    return read;
  } else if constexpr (is_vector<T>)
    return read_list(field, target);
  else if constexpr (Described<T>)
    return read_map(field, target);
  else if constexpr (Enumeration<T>)
    return read_enumeration(field, target);
  else if constexpr (is_quantity<T>)
    return store(read_quantity<T>(field), target);
  else if constexpr (std::same_as<T, Moment>)
    return store(read_moment(field), target);
  else if constexpr (std::same_as<T, bool>)
    return store(read_bool(field), target);
  else if constexpr (std::integral<T>)
    return store(read_integer(field, most_of<T>), target);
  else if constexpr (std::same_as<T, double>)
    return store(read_number(field), target);
  else {
    static_assert(std::same_as<T, std::string>);
    return store(read_text_value(field), target);
  }
}

}  // namespace sim::scenario
