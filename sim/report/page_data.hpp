// What the charts of a page draw, as JSON inside of HTML.
#pragma once

#include <string>

#include "sim/report/page.hpp"

namespace sim::report {

/// One object: `data` with each table column by column, and `charts`, numbered as in the page's sections.
/// Numbers have six
/// digits, or where a front holds them against each other all that they have. Texts stand once, and their
/// rows name them by number. No `<` is in it, so that nothing ends the element it stands in.
std::string page_data(const Page& page);

}  // namespace sim::report
