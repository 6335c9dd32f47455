// The style and the script of report pages, as they stand in sim/report/page.
#pragma once

#include <string_view>

namespace sim::report {

extern const std::string_view page_style;   ///< report.css
extern const std::string_view page_script;  ///< axes.js, then report.js

}  // namespace sim::report
