// Writes a report into a file, with a chart library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "netmodels/result.hpp"
#include "sim/report/page.hpp"

namespace sim {

/// Path of Chart.js: of Debian's package libjs-chart.js, or as it was found when this program was built.
std::filesystem::path default_chart_library();

/// @returns its text; nothing where it is not there or empty; an Error where it is there and cannot be read
netmodels::Result<std::optional<std::string>> read_chart_library(const std::filesystem::path& path);

/// Writes to a temporary file next to the place, then renames.
/// @param chart_library  its text; nothing: the page states that it has no charts
/// @returns how many bytes were written
/// Throws std::system_error when the system refuses to write.
std::uintmax_t write_page(const report::Page& page, const std::filesystem::path& target,
                          const std::optional<std::string>& chart_library);

}  // namespace sim
