// A page as one HTML file that needs nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/report/page.hpp"

namespace sim::report {

/// A text as HTML shows it: & < > and quotes are written out.
std::string html_text(std::string_view text);

/// The whole file: style, script, chart library and data are inside, and a policy in its head forbids to load
/// anything. Charts follow the reader's light or dark scheme; numbers of charts have six digits, those of
/// fronts all.
/// @param chart_library  the text of Chart.js; nothing: no chart is drawn, and one line says which package
///                       draws them
std::string page_html(const Page& page, const std::optional<std::string>& chart_library);

}  // namespace sim::report
