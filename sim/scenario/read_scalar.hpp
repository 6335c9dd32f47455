// Turns one written value into a number, a word, a quantity or a moment, or says why it cannot.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "netmodels/nearest.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "settings/key.hpp"
#include "settings/moment.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// A value to be read: what stands there, what the whole path of keys is, and what its key accepts.
struct Field {
  const Value& value;
  std::string path;  ///< `cluster.changes[0].at`
  settings::Key key;
};

/// A refusal at the value's place that names its path of keys.
tl::unexpected<netmodels::Error> refuse_field(const Field& field, std::string what, std::string hint);

/// A plain decimal number; `share` also accepts `2 %`. @returns an Error without a place
netmodels::Result<double> parse_number(std::string_view text, bool share);

netmodels::Result<bool> read_bool(const Field& field);
netmodels::Result<double> read_number(const Field& field);
/// @param most the largest value of the type that will hold it
netmodels::Result<std::int64_t> read_integer(const Field& field, std::int64_t most);
netmodels::Result<std::string> read_text_value(const Field& field);
/// `30 s`, `step 100` or `epoch 12`
netmodels::Result<settings::Moment> read_moment(const Field& field);

/// The position in `names` of the word that stands there.
netmodels::Result<std::size_t> read_word(const Field& field, std::span<const std::string_view> names);

/// Refuses anything but a single value.
netmodels::Result<std::string_view> scalar_text(const Field& field, std::string_view expected);

/// Refuses a number outside the key's bounds. @param shown as the message shows it
netmodels::Result<void> check_bounds(const Field& field, double value, const std::string& min,
                                     const std::string& max);

}  // namespace sim::scenario
