// A sheet as aligned text for people.
#pragma once

#include <string>

#include "sim/output/sheet.hpp"

namespace sim::output {

/// Lines of aligned columns under one line of titles. Texts stand left, numbers right. Each column of times or sizes
/// gets one unit, named in its title: the largest that leaves the largest value at least 1.
/// @returns lines that each end in a newline, without trailing blanks
std::string table(const Sheet& sheet);

}  // namespace sim::output
