// The contents of a scenario file, as a tree in which every value has its position.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"

namespace sim::language {

/// A place in a text, both counted from 1.
struct Position {
  int line = 1;
  int column = 1;
};

/// Origin of a value: a place in a file, `--set KEY`, or `default`.
class Origin {
 public:
  Origin() : Origin("default") {}
  explicit Origin(std::string source);
  /// Many values share one source, so that a value stays small.
  Origin(std::shared_ptr<const std::string> source, Position position);

  [[nodiscard]] const std::string& source() const {
    return *source_;
  }  ///< the file, or `--set KEY`, or `default`
  [[nodiscard]] std::optional<Position> position() const { return position_; }
  [[nodiscard]] std::string text() const;  ///< `file:line:column`, or just the source

 private:
  std::shared_ptr<const std::string> source_;
  std::optional<Position> position_;
};

struct Member;

/// A scalar, a list, or a map with the order of its keys kept; keys are unique.
class Value {
 public:
  enum class Kind { nothing, scalar, list, map };

  // Defined where `Member`, which holds a Value, is complete.
  Value();
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  static Value nothing(Origin origin);
  static Value scalar(std::string text, Origin origin, bool quoted = false);
  static Value list(std::vector<Value> items, Origin origin);
  static Value map(std::vector<Member> members, Origin origin);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_map() const { return kind_ == Kind::map; }
  [[nodiscard]] bool is_list() const { return kind_ == Kind::list; }
  [[nodiscard]] bool is_scalar() const { return kind_ == Kind::scalar; }
  [[nodiscard]] const std::string& text() const { return text_; }  ///< text of a scalar, without quotes
  [[nodiscard]] bool quoted() const { return quoted_; }            ///< "8" is a text, 8 a number
  [[nodiscard]] const std::vector<Value>& items() const { return items_; }       ///< items of a list
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }  ///< members of a map
  [[nodiscard]] const Origin& origin() const { return origin_; }

  [[nodiscard]] const Value* find(std::string_view key) const;  ///< null where there is no such key or no map
  [[nodiscard]] Value* find(std::string_view key);
  /// Replaces the value of the key, or appends it.
  Value& set(std::string_view key, Value value);
  void erase(std::string_view key);
  [[nodiscard]] std::vector<Member>& members() { return members_; }
  void append(Value item) { items_.push_back(std::move(item)); }
  [[nodiscard]] std::vector<Value>& items() { return items_; }

  [[nodiscard]] std::size_t nodes() const;  ///< this value and all below it
  /// Same contents, wherever they were written; the order of keys counts.
  [[nodiscard]] bool same_as(const Value& other) const;
  /// "a map", "a list", "a single value", "nothing".
  [[nodiscard]] std::string_view kind_text() const;

 private:
  Kind kind_ = Kind::nothing;
  bool quoted_ = false;
  std::string text_;
  std::vector<Value> items_;
  std::vector<Member> members_;
  Origin origin_;
};

/// One key of a map with its value.
struct Member {
  std::string key;
  Origin origin;  ///< origin of the key
  Value value;
};

/// `over` wins: maps merge key by key, lists and scalars replace. A map that names its `kind` or
/// `distribution` replaces too, because the keys of another kind mean nothing to it; so does a quantity with
/// its `range` or `sd`.
Value merge(Value base, const Value& over);

/// The same contents, all with this `origin`.
Value with_origin(const Value& value, const Origin& origin);

/// The value at a dotted path such as `cluster.link.bandwidth`, or null.
const Value* find_path(const Value& root, std::string_view path);

/// Stores `value` at a dotted path, creating maps as needed.
/// @returns an Error where the path enters a list, or has an empty part
netmodels::Result<void> set_path(Value& root, std::string_view path, Value value);

}  // namespace sim::language
