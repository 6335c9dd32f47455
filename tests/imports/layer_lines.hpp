// The layers of an imported trace as lines of text.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/imports/traced_workload.hpp"

namespace calibrate::imports {

/// Name, parameters, and forward and backward times in microseconds of each layer.
inline std::vector<std::string> layer_lines(const TracedWorkload& workload) {
  std::vector<std::string> lines;
  for (const TracedLayer& layer : workload.layers)
    lines.push_back(fmt::format("{} {} {:.0f} {:.0f}", layer.name, layer.parameters,
                                layer.forward.count * 1e6, layer.backward.count * 1e6));
  return lines;
}

}  // namespace calibrate::imports
