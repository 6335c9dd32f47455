// Percentages with fixed decimals or significant digits.
#include "netmodels/percent.hpp"

#include <cmath>

#include <fmt/format.h>

namespace netmodels {

std::string percent(double share, int decimals) { return fmt::format("{:.{}f} %", 100 * share, decimals); }

std::string short_percent(double share, int digits) {
  const double percent = 100 * share;
  const bool needs_exponent = std::abs(percent) >= std::pow(10, digits) - .5;
  return needs_exponent ? fmt::format("{:.0f} %", percent) : fmt::format("{:.{}g} %", percent, digits);
}

}  // namespace netmodels
