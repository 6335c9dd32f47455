// The units in which each dimension may be written.
#pragma once

#include <span>
#include <string_view>

namespace netmodels {

/// One spelling of a unit:
/// value in base units = number * 10^exponent * factor / divisor; the power of ten is applied to the decimal
/// text, so that every unit with a decimal prefix is read with one rounding only.
struct Unit {
  std::string_view name;
  int exponent = 0;
  double factor = 1;
  double divisor = 1;
};

/// The kinds of quantities, and how each is written.
struct Dimension {
  std::string_view noun;      ///< noun with its article, for messages
  std::string_view accepted;  ///< the units worth naming in a message
  std::span<const Unit> units;
  /// Range of values other than zero, in base units: far beyond every machine, and such that products and
  /// quotients of a few of them are finite.
  double least;
  double most;
};

/// Dimensions in the order time, data size, bandwidth, operations, computing rate, money, price per time.
std::span<const Dimension> dimensions();

/// @returns nothing where the dimension has no such unit
const Unit* find_unit(std::span<const Unit> units, std::string_view name);

}  // namespace netmodels
