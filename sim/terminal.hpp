// What the terminals behind stdout and stderr can do.
#pragma once

#include <string>

namespace sim {

/// Whether stderr is a terminal that can move its cursor.
bool can_draw_on_stderr();

/// Text for people: styled where stdout is a terminal that is not `dumb` and the environment has no NO_COLOR
/// (https://no-color.org), as it is elsewhere.
std::string for_stdout(const std::string& text);

}  // namespace sim
