// Reading the launchers' environment variables.
#include "sim/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace sim {

std::size_t launched_processes() {
  std::size_t most = 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* text = std::getenv(name);
    if (text != nullptr) most = std::max<std::size_t>(most, std::strtoul(text, nullptr, 10));
  }
  return most;
}

}  // namespace sim
