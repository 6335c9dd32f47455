// Types of the values of keys: how text becomes a value of its C++ type, for code that knows the type no
// more.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "settings/moment.hpp"

namespace settings {

/// One C++ type that a key may have. Of each function only those that the kind names are set.
struct Type {
  enum class Kind : std::uint8_t {
    boolean,
    integer,
    number,
    text,
    quantity,
    word,
    moment,
    optional,
    list,
    map
  };

  Kind kind;
  std::int64_t max = 0;  ///< integer: the largest value that it holds
  void (*set_integer)(void* target, std::int64_t value) = nullptr;
  void (*set_number)(void* target, double value) = nullptr;             ///< number; quantity, in base units
  std::string_view (*units)() = nullptr;                                ///< quantity: those that are accepted
  netmodels::Result<double> (*parse)(std::string_view text) = nullptr;  ///< quantity, into base units
  std::string (*print)(double value) = nullptr;                         ///< quantity, in base units
  std::string (*exact)(double value) = nullptr;  ///< quantity: reads back to the same value
  std::span<const std::string_view> words = {};  ///< word: in the order of indices
  std::span<const TableWord> table = {};         ///< word: the same, with what each declares
  void (*set_word)(void* target, std::size_t index) = nullptr;
  std::string (*text)(const void* value) =
      nullptr;                  ///< all but optional, list and map: as a file would say it
  const Type* inner = nullptr;  ///< optional, list: what they hold
  std::size_t (*count)(const void* value) = nullptr;        ///< optional, list: of what they hold
  void* (*item)(void* value, std::size_t index) = nullptr;  ///< optional, list
  void* (*grow)(void* target) = nullptr;  ///< optional, list: holds one more default value; its address
  void (*clear)(void* target) = nullptr;  ///< optional, list: holds nothing
  void (*describe)(Fields& fields, void* value) = nullptr;  ///< map
  std::span<const Condition> conditions = {};  ///< map: declarations that hold for some of its values
  std::string_view choice_key = {};            ///< map: may be written as just the word of this key
  std::optional<Problem> (*problem)(const void* value) = nullptr;  ///< map
  void (*describe_default)(Fields& fields) = nullptr;              ///< map: describes a value of defaults

  [[nodiscard]] bool may_be_absent() const { return kind == Kind::optional || kind == Kind::list; }
};

namespace types {

inline constexpr int most_digits = 17;

/// As short as reads back to the same number.
std::string to_text(double value);
/// `30 s`, `step 100` or `epoch 12`.
std::string to_text(const Moment& moment);

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_quantity = false;
template <int T, int D, int W, int M>
inline constexpr bool is_quantity<netmodels::Quantity<T, D, W, M>> = true;

template <Enumeration E>
constexpr auto words_of() {
  constexpr auto names = names_of(E{});
  std::array<std::string_view, names.size()> words{};
  for (std::size_t i = 0; i < names.size(); ++i) words[i] = names[i].name;
  return words;
}

template <Enumeration E>
constexpr auto table_of() {
  constexpr auto names = names_of(E{});
  std::array<TableWord, names.size()> table{};
  for (std::size_t i = 0; i < names.size(); ++i) table[i] = {names[i].name, {}, names[i].demands};
  return table;
}

template <class T>
Type integer() {
  constexpr auto max = std::numeric_limits<T>::max();
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  return {.kind = Type::Kind::integer,
          .max = std::in_range<std::int64_t>(max) ? static_cast<std::int64_t>(max) : largest,
          .set_integer = [](void* target,
                            std::int64_t value) { *static_cast<T*>(target) = static_cast<T>(value); },
          .text = [](const void* value) { return std::to_string(*static_cast<const T*>(value)); }};
}

template <class Q>
Type quantity() {
  return {
      .kind = Type::Kind::quantity,
      .set_number = [](void* target, double value) { *static_cast<Q*>(target) = Q{value}; },
      .units = [] { return netmodels::accepted_units<Q>(); },
      .parse = [](std::string_view text) -> netmodels::Result<double> {
        auto value = netmodels::parse<Q>(text);
        if (!value) return tl::unexpected(std::move(value.error()));
        return value->count;
      },
      .print = [](double value) { return netmodels::print(Q{value}); },
      .exact = [](double value) { return netmodels::print(Q{value}, most_digits); },
      .text = [](const void* value) { return netmodels::print(*static_cast<const Q*>(value), most_digits); }};
}

template <class E>
Type word() {
  static constexpr auto words = words_of<E>();
  static constexpr auto table = table_of<E>();
  return {.kind = Type::Kind::word,
          .words = words,
          .table = table,
          .set_word = [](void* target,
                         std::size_t index) { *static_cast<E*>(target) = names_of(E{})[index].value; },
          .text = [](const void* value) { return std::string(name_of(*static_cast<const E*>(value))); }};
}

template <class T>
Type optional() {
  return {.kind = Type::Kind::optional,
          .inner = &type_of<typename T::value_type>(),
          .count = [](const void* value) -> std::size_t {
            return static_cast<const T*>(value)->has_value() ? 1 : 0;
          },
          .item = [](void* value, std::size_t) -> void* { return &**static_cast<T*>(value); },
          .grow = [](void* target) -> void* { return &static_cast<T*>(target)->emplace(); },
          .clear = [](void* target) { static_cast<T*>(target)->reset(); }};
}

template <class T>
Type list() {
  return {.kind = Type::Kind::list,
          .inner = &type_of<typename T::value_type>(),
          .count = [](const void* value) { return static_cast<const T*>(value)->size(); },
          .item = [](void* value, std::size_t index) -> void* { return &(*static_cast<T*>(value))[index]; },
          .grow = [](void* target) -> void* { return &static_cast<T*>(target)->emplace_back(); },
          .clear = [](void* target) { static_cast<T*>(target)->clear(); }};
}

template <Described T>
Type map() {
  Type type{.kind = Type::Kind::map,
            .describe = [](Fields& fields, void* value) { describe(fields, *static_cast<T*>(value)); },
            .describe_default =
                [](Fields& fields) {
                  const auto value = std::make_unique<T>();
                  describe(fields, *value);
                }};
  if constexpr (requires { conditions_of(std::type_identity<T>{}); })
    type.conditions = conditions_of(std::type_identity<T>{});
  if constexpr (requires { choice_key(std::type_identity<T>{}); })
    type.choice_key = choice_key(std::type_identity<T>{});
  if constexpr (requires(const T& value) { problem_of(value); })
    type.problem = [](const void* value) -> std::optional<Problem> {
      return problem_of(*static_cast<const T*>(value));
    };
  return type;
}

template <class T>
Type make() {
  if constexpr (is_optional<T>)
    return optional<T>();
  else if constexpr (is_list<T>)
    return list<T>();
  else if constexpr (Described<T>)
    return map<T>();
  else if constexpr (Enumeration<T>)
    return word<T>();
  else if constexpr (is_quantity<T>)
    return quantity<T>();
  else if constexpr (std::same_as<T, Moment>)
    return {.kind = Type::Kind::moment,
            .text = [](const void* value) { return to_text(*static_cast<const Moment*>(value)); }};
  else if constexpr (std::same_as<T, bool>)
    return {.kind = Type::Kind::boolean, .text = [](const void* value) -> std::string {
              return *static_cast<const bool*>(value) ? "true" : "false";
            }};
  else if constexpr (std::integral<T>)
    return integer<T>();
  else if constexpr (std::same_as<T, double>)
    return {.kind = Type::Kind::number,
            .set_number = [](void* target, double value) { *static_cast<double*>(target) = value; },
            .text = [](const void* value) { return to_text(*static_cast<const double*>(value)); }};
  else {
    static_assert(std::same_as<T, std::string>);
    return {.kind = Type::Kind::text,
            .text = [](const void* value) { return *static_cast<const std::string*>(value); }};
  }
}

}  // namespace types

template <class T>
const Type& type_of() {
  static const Type type = types::make<T>();
  return type;
}

}  // namespace settings
