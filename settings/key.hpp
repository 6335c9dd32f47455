// How one key of a file is described: name, meaning, default, bounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "settings/demands.hpp"

namespace settings {

/// The numbers a key accepts, in base units.
struct Bounds {
  std::optional<double> min = std::nullopt;
  std::optional<double> max = std::nullopt;
  bool open_below = false;  ///< `min` itself is refused
  bool open_above = false;  ///< `max` itself is refused
};

constexpr Bounds at_least(double min) { return {.min = min}; }
constexpr Bounds above(double min) { return {.min = min, .open_below = true}; }
constexpr Bounds between(double min, double max) { return {.min = min, .max = max}; }
constexpr Bounds above_up_to(double min, double max) { return {.min = min, .max = max, .open_below = true}; }
constexpr Bounds from_to_below(double min, double max) {
  return {.min = min, .max = max, .open_above = true};
}

/// Whether a key must be written.
enum class Need : std::uint8_t {
  by_type,  ///< required, unless there is a default or the value is a list, an optional or a map of defaults
  required,
  optional,  ///< may be absent here; a later check may still ask for it
};

/// One key. All code that reads, completes or documents files works from this.
struct Key {
  std::string_view name;
  std::string_view doc;  ///< one sentence, for the schema, the reference and messages
  std::optional<std::string_view> fallback = std::nullopt;  ///< the default as a person would write it
  Bounds bounds = {};
  std::string_view example = {};
  Need need = Need::by_type;
  bool share = false;             ///< a plain number that may be written as `2 %` too
  std::string_view former = {};   ///< name in the release before, accepted with a warning
  std::string_view measure = {};  ///< how the value is measured, where a command does it
  std::string_view hint = {};     ///< a whole number's or a word's: what to do where the value is none
  Demands demands = {};           ///< demands of an arm that states another value than the default
  std::span<const TableWord> (*words)() = nullptr;  ///< a text's: rows of a table, one of which it names
};

/// One word of a closed list.
template <class E>
struct Named {
  std::string_view name;
  E value;
  Demands demands = {};
};

/// An enumeration whose words are listed: `constexpr auto names_of(E)` next to it returns an array of
/// `Named<E>`.
template <class E>
concept Enumeration = requires(E value) {
  { names_of(value)[0].value } -> std::convertible_to<E>;
};

/// The word for a value; empty for one that has none.
template <Enumeration E>
constexpr std::string_view name_of(E value) {
  for (const Named<E>& named : names_of(E{})) {
    if (named.value == value) return named.name;
  }
  return {};
}

/// All words of an enumeration, in the order in which they are listed.
template <Enumeration E>
std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names;
  for (const Named<E>& named : names_of(E{})) names.push_back(named.name);
  return names;
}

}  // namespace settings
