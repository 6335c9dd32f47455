// Shares in print: one place for all reports.
#pragma once

#include <string>

namespace netmodels {

/// "12.3 %": a share in percent with this number of decimals. @param share  of 1; any finite number
std::string percent(double share, int decimals);

/// "12 %", "0.012 %": with this number of significant digits, and all digits before the point: "100 %", not
/// "1e+02
/// %".
std::string short_percent(double share, int digits);

}  // namespace netmodels
