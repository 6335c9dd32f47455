// Which SimGrid this program runs on.
#pragma once

#include <string>

namespace sim::engine {

/// Of the library that is loaded, such as "3.32.0".
std::string simgrid_version();

}  // namespace sim::engine
