// Turns one written value into a number, a word, a quantity or a moment, or says why it cannot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "sim/scenario/field.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// A value to be read: what stands there, what the whole path of keys is, and what its key accepts.
struct Field {
  const Value& value;
  std::string path;  ///< `cluster.changes[0].at`
  Key key;
};

/// A refusal at the value's place that names its path of keys.
tl::unexpected<netmodels::Error> refuse_field(const Field& field, std::string what, std::string mend);

/// A plain decimal number; `share` also accepts `2 %`. @returns an Error without a place
netmodels::Result<double> parse_number(std::string_view text, bool share);

netmodels::Result<bool> read_bool(const Field& field);
netmodels::Result<double> read_number(const Field& field);
/// @param most the largest value of the type that will hold it
netmodels::Result<std::int64_t> read_integer(const Field& field, std::int64_t most);
netmodels::Result<std::string> read_text_value(const Field& field);
/// `30 s`, `step 100` or `epoch 12`
netmodels::Result<Moment> read_moment(const Field& field);

/// The position in `names` of the word that stands there.
netmodels::Result<std::size_t> read_word(const Field& field, std::span<const std::string_view> names);

/// Refuses anything but a single value.
netmodels::Result<std::string_view> scalar_text(const Field& field, std::string_view expected);

/// Refuses a number outside the key's bounds. @param shown as the message shows it
netmodels::Result<void> check_bounds(const Field& field, double value, const std::string& least,
                                     const std::string& most);

template <class Q>
netmodels::Result<Q> read_quantity(const Field& field) {
  const auto text =
      scalar_text(field, "a number with a unit (" + std::string(netmodels::accepted_units<Q>()) + ")");
  if (!text) return tl::unexpected(text.error());
  const auto value = netmodels::parse<Q>(*text);
  if (!value) return refuse_field(field, value.error().what, value.error().mend);
  const Bounds& bounds = field.key.bounds;
  const auto inside = check_bounds(field, value->count, netmodels::print(Q{bounds.least.value_or(0)}),
                                   netmodels::print(Q{bounds.most.value_or(0)}));
  if (!inside) return tl::unexpected(inside.error());
  return *value;
}

}  // namespace sim::scenario
