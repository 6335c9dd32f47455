// How the owner of settings describes their keys, and the interface of the listeners: readers, schemas,
// references.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "settings/key.hpp"

namespace settings {

struct Type;

/// Error of a struct whose keys are all fine by themselves.
struct Problem {
  std::string key;  ///< key of the struct, at which it is reported, as `ratios[2]` for an item; empty: the
                    ///< whole struct
  std::string what;
  std::string hint;
  std::string value = {};  ///< value of the key, as YAML, that solves the problem; empty: none is known
};

/// The `Type` of a C++ type; see settings/type.hpp, which sources that describe fields include.
template <class T>
const Type& type_of();

/// Listens to the keys of one map, in the order in which they are described. A struct that a map describes
/// has a function `void describe(settings::Fields&, Struct&)` next to it, and `std::optional<Problem>
/// problem_of(const Struct&)` where keys must fit each other.
class Fields {
 public:
  virtual ~Fields() = default;

  /// A key and the member that holds its value.
  template <class T>
  void field(const Key& key, T& target) {
    field(key, type_of<T>(), &target);
  }
  virtual void field(const Key& key, const Type& type, void* target) = 0;

  /// The key that chooses among alternatives, such as `kind: torus`. Keys of alternatives follow by `when`.
  template <class E>
  void choice(const Key& key, E& target) {
    choice(key, type_of<E>(), &target);
  }
  virtual void choice(const Key& key, const Type& type, void* target) { field(key, type, target); }

  /// Keys that exist only where the choice is `wanted`.
  /// @param describe_rest  called with a Fields&, or not at all
  template <Enumeration E, class F>
  void when(E wanted, E actual, F describe_rest) {
    when(wanted == actual, name_of(wanted), describe_rest);
  }
  template <class F>
  void when(bool chosen, std::string_view word, F describe_rest) {
    alternative(
        chosen, word, [](void* rest, Fields& fields) { (*static_cast<F*>(rest))(fields); }, &describe_rest);
  }

  /// The keys of a row's settings, which are written beside the key that names the row.
  /// @param settings  of that type
  virtual void beside(const Type& type, void* settings);

  /// A key that is read elsewhere, because it may be a file or depends on more than this map.
  virtual void deferred(const Key& key) = 0;

  /// A published figure: its unit is that of a metric.
  /// @param metric  name of the metric; empty for a plain number
  virtual void figure(const Key& key, std::optional<double>& target, std::string_view metric) = 0;

 protected:
  using Rest = void (*)(void* rest, Fields& fields);
  virtual void alternative(bool chosen, std::string_view word, Rest describe_rest, void* rest) = 0;
};

/// A struct that a map describes.
template <class T>
concept Described = requires(Fields& fields, T& value) {
  describe(fields, value);
};

}  // namespace settings
