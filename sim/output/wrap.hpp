// Long sentences, broken into lines that a terminal shows.
#pragma once

#include <string>
#include <string_view>

namespace sim::output {

/// The text in lines of at most 110 characters, broken at blanks; every line after the first is indented by
/// two.
/// @returns lines that each end in a newline; a word longer than a line stands on one of its own
std::string wrap(std::string_view text);

}  // namespace sim::output
