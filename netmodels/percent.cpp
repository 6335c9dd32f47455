// Percentages with fixed decimals or significant digits.
#include "netmodels/percent.hpp"

#include <fmt/format.h>

namespace netmodels {

std::string percent(double share, int decimals) { return fmt::format("{:.{}f} %", 100 * share, decimals); }

std::string short_percent(double share, int digits) { return fmt::format("{:.{}g} %", 100 * share, digits); }

}  // namespace netmodels
