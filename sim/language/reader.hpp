// Fills structs from a tree of values, by the keys that their owners describe; an invalid value is an
// error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/fields.hpp"
#include "settings/key.hpp"
#include "settings/moment.hpp"
#include "sim/language/metric.hpp"
#include "sim/language/value.hpp"

namespace sim::language {

// Converts one written value to a number, a word, a quantity or a moment, or returns an Error.

/// A value to be read: the value, the whole path of its key, and the accepted values.
struct Field {
  const Value& value;
  std::string path;  ///< `cluster.changes[0].at`
  settings::Key key;
};

/// An Error at the value's place that names its path of keys.
/// @param remedy  a value with which it is gone; empty: the key's example or default; without either, a key
/// that
///                is optional is left out
tl::unexpected<netmodels::Error> refuse_field(const Field& field, std::string what, std::string hint,
                                              std::string remedy = {});

/// A plain decimal number; `share` also accepts `2 %`. @returns an Error without a place
netmodels::Result<double> parse_number(std::string_view text, bool share);

netmodels::Result<bool> read_bool(const Field& field);
netmodels::Result<double> read_number(const Field& field);
/// @param most the largest value of the type that will hold it
netmodels::Result<std::int64_t> read_integer(const Field& field, std::int64_t most);
netmodels::Result<std::string> read_text_value(const Field& field);
/// `30 s`, `step 100` or `epoch 12`
netmodels::Result<settings::Moment> read_moment(const Field& field);

/// The position in `names` of the word.
netmodels::Result<std::size_t> read_word(const Field& field, std::span<const std::string_view> names);

/// Refuses anything but a single value.
netmodels::Result<std::string_view> scalar_text(const Field& field, std::string_view expected);

/// Refuses a number outside the key's bounds. @param shown as the message shows it
netmodels::Result<void> check_bounds(const Field& field, double value, const std::string& min,
                                     const std::string& max);

/// Path of a key that no map there has; empty for another error, and where another choice of a method has the
/// key.
std::string unknown_path(const netmodels::Error& error);

/// Reads the described keys of one map. Every key that it is not asked for is unknown.
class Reader final : public settings::Fields {
 public:
  using Fields::choice;
  using Fields::field;

  /// @param map   outlives the reader
  /// @param path  of the map, such as `cluster.changes[0]`; empty for the whole file
  /// @param metrics  for `figure`; only rows of `expect` have any
  Reader(const Value& map, std::string path, ExpectableMetrics metrics = {})
      : map_(map), path_(std::move(path)), metrics_(metrics) {}

  void field(const settings::Key& key, const settings::Type& type, void* target) override;
  void choice(const settings::Key& key, const settings::Type& type, void* target) override;
  void deferred(const settings::Key& key) override;
  void figure(const settings::Key& key, std::optional<double>& target, std::string_view metric) override;

  /// Every error of the map, unknown keys first; a missing key is left out where an unknown one explains it.
  netmodels::Result<void> finish();

 private:
  /// A key of the map where its choice is this word.
  struct Elsewhere {
    std::string_view key, choice;
  };

  void alternative(bool chosen, std::string_view word, Rest describe_rest, void* rest) override;
  [[nodiscard]] std::string join(std::string_view name) const;
  [[nodiscard]] netmodels::Error unknown_key(const Member& member) const;
  void missing(const settings::Key& key);
  void collect(const netmodels::Result<void>& result) {
    if (!result) errors_.push_back(result.error());
  }

  const Value& map_;
  std::string path_;
  ExpectableMetrics metrics_;
  std::vector<std::string_view> known_;
  std::string_view choice_;  ///< the key that chooses; empty where none does
  std::vector<Elsewhere> elsewhere_;
  std::vector<netmodels::Error> errors_;
  std::vector<netmodels::Error> missing_;  ///< errors of required keys
};

/// Reads `field` into `target`, an object of the C++ type that `type` is of; the first thing that is wrong
/// comes back.
netmodels::Result<void> read_value(const Field& field, const settings::Type& type, void* target);

/// A map with the keys of `T`.
template <settings::Described T>
netmodels::Result<void> read_map(const Field& field, T& target) {
  return read_value(field, settings::type_of<T>(), &target);
}

/// Something of another shape is expected.
tl::unexpected<netmodels::Error> refuse_shape(const Field& field, std::string_view expected);

}  // namespace sim::language
