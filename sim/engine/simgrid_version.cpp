// Asks the loaded SimGrid library for its version.
#include "sim/engine/simgrid_version.hpp"

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

namespace sim::engine {

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace sim::engine
