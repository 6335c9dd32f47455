// Opens the module with SimGrid, and tells its version.
#include "sim/engine/simgrid.hpp"

#include "files/module.hpp"

namespace sim::engine {

std::string simgrid_version() { return GRADSIM_SIMGRID_VERSION; }

const SimGrid& simgrid_module() {
  using Entry = const SimGrid*();
  static const SimGrid* const module = files::open_module<Entry>("gradsim_simgrid")();
  return *module;
}

}  // namespace sim::engine
