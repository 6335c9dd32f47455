// How one key of a scenario is described: name, meaning, default, bounds; the vocabulary of fields_*.hpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::scenario {

/// The numbers a key accepts, in base units.
struct Bounds {
  std::optional<double> least = std::nullopt;
  std::optional<double> most = std::nullopt;
  bool open_below = false;  ///< `least` itself is refused
  bool open_above = false;  ///< `most` itself is refused
};

constexpr Bounds at_least(double least) { return {.least = least}; }
constexpr Bounds above(double least) { return {.least = least, .open_below = true}; }
constexpr Bounds between(double least, double most) { return {.least = least, .most = most}; }
constexpr Bounds above_up_to(double least, double most) {
  return {.least = least, .most = most, .open_below = true};
}
constexpr Bounds from_to_below(double least, double most) {
  return {.least = least, .most = most, .open_above = true};
}

/// Whether a key must be written.
enum class Need {
  by_type,  ///< optional for lists, `std::optional` and maps of defaults; else required unless there is a
            ///< default
  required,
  optional,  ///< absent is accepted here; a later check may still ask for it
};

/// One key. Reader, printer and schema all work from this.
struct Key {
  std::string_view name;
  std::string_view doc;  ///< one sentence, for `sim schema` and for messages
  std::optional<std::string_view> fallback = std::nullopt;  ///< the default as a person would write it
  Bounds bounds = {};
  std::string_view example = {};
  Need need = Need::by_type;
  bool share = false;  ///< a plain number that may be written as `2 %` too
};

/// One word of a closed list.
template <class E>
struct Named {
  std::string_view name;
  E value;
};

/// The words for an enumeration; specialised beside the fields that use it.
template <class E>
constexpr int names_of = 0;

template <class E>
concept Enumeration = requires {
  names_of<E>.begin();
};

/// The word for a value.
template <Enumeration E>
constexpr std::string_view name_of(E value) {
  for (const Named<E>& named : names_of<E>) {
    if (named.value == value) return named.name;
  }
  return {};
}

/// All words of an enumeration, for messages.
template <Enumeration E>
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const Named<E>& named : names_of<E>) names.push_back(named.name);
  return names;
}

/// The key that chooses among alternatives (`kind: torus`); the whole map may then be written as that one
/// word. Empty for plain maps.
template <class T>
constexpr std::string_view choice_key = {};

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_vector = false;
template <class T>
constexpr bool is_vector<std::vector<T>> = true;

/// Something that a map describes: there is a `describe(visitor, T&)`.
struct AnyVisitor {
  template <class T>
  void field(const Key&, T&) {}
  template <class T>
  void choice(const Key&, T&) {}
  template <class E, class F>
  void when(E, E, F) {}
  template <class T>
  void workload(const Key&, T&) {}
  template <class T>
  void figure(const Key&, T&, const std::string&) {}
};

template <class T>
concept Described = requires(AnyVisitor& visitor, T& value) {
  describe(visitor, value);
};

}  // namespace sim::scenario
