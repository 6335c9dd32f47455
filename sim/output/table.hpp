// A sheet as aligned text for people.
#pragma once

#include <string>

#include "sim/output/sheet.hpp"

namespace sim::output {

/// Lines of aligned columns under one line of titles. Texts stand left, numbers right. Each column of times,
/// sizes or rates gets one unit, named in its title: the largest in which its smallest value is at least 1.
/// @returns lines that each end in a newline, without trailing blanks
std::string table(const Sheet& sheet);

/// For a sheet of one row that holds much: a line "title  value unit" for each column, values aligned.
std::string list(const Sheet& sheet);

}  // namespace sim::output
