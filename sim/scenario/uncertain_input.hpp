// A quantity or number of which a scenario states how certain it is, and the distribution that this means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "settings/type.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// How an uncertain value is spread.
enum class Spread : std::uint8_t {
  triangular,  ///< from the lower to the upper end, the stated value the most likely one
  normal,      ///< of a mean and a standard deviation, cut off where the key accepts no value
};

/// The value below which this share of a triangular distribution lies.
/// @param low, mode, high  rising; all are the value where they are equal
/// @param share            in [0, 1]
double triangular_quantile(double low, double mode, double high, double share);

/// Numbers in base units.
struct UncertainInput {
  std::string key = {};           ///< with its whole path: `cluster.link.bandwidth`
  std::string id = {};            ///< key and contents: the same unknown in every arm that states it so
  std::string origin = {};        ///< file:line:column
  std::string_view measure = {};  ///< how it is measured; empty where no command does
  Spread spread = Spread::triangular;
  double stated = 0;  ///< the value, or the mean
  double low = 0;     ///< no value is below
  double high = 0;    ///< no value is above; infinite for a normal one without a bound
  double sd = 0;      ///< of a normal one before it is cut off
  std::string (*print)(double value) = nullptr;
  std::vector<std::string> arms = {};  ///< that state it

  /// @param share  of the distribution that lies below, in (0, 1)
  [[nodiscard]] double quantile(double share) const;
  /// "3 Gbit/s to 5 Gbit/s", "4 Gbit/s, sd 500 Mbit/s", "2 Gbit/s, sd 1 Gbit/s, cut off at 0 bit/s (2.3 % of
  /// it)"
  [[nodiscard]] std::string text() const;
};

/// The share of its distribution at which each unknown lies, by `id`; unknowns that are not in it have their
/// stated value.
using Draws = std::map<std::string, double, std::less<>>;

/// That only `sim run` draws from ranges, for commands that take the stated values; nothing without a range.
std::optional<std::string> undrawn_warning(const std::vector<UncertainInput>& inputs);

/// Replaces each quantity and each number (not a whole one: counts take no range) of a tree that is written
/// as
/// `{value: 4 Gbit/s, range: [3 Gbit/s, 5 Gbit/s]}` or `{mean: 4 Gbit/s, sd: 0.5 Gbit/s}` by one value: the
/// drawn one, else the stated one.
/// @param map    of keys that `type` describes
/// @param path   of the map; empty for the whole scenario
/// @returns what was replaced; or an Error at its place for other keys than these, another unit, ends that
/// are exchanged or equal, a value outside its range, a deviation that is not above 0, and what the key does
/// not accept
netmodels::Result<std::vector<UncertainInput>> settle_uncertain(language::Value& map,
                                                                const settings::Type& type,
                                                                const std::string& path, const Draws& draws);

}  // namespace sim::scenario
