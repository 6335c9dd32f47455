// A traced workload as a time-independent trace that SimGrid's SMPI replays.
#include "calibrate/imports/smpi_trace.hpp"

#include <fmt/format.h>

namespace calibrate::imports {
namespace {

using netmodels::Seconds;

constexpr double flop_per_second = 1e9;
constexpr int gradient_bytes_per_value = 4;
constexpr int byte_type =
    6;  // MPI_BYTE among the types that a replay knows (SimGrid 3.32, smpi_datatype.cpp)

/// What each rank does, without its number.
std::vector<std::string> actions(const TracedWorkload& workload) {
  std::vector<std::string> lines = {"init"};
  Seconds open = workload.host_overhead;  // computing that has no line yet
  const auto compute = [&lines, &open] {
    if (open > Seconds{}) lines.push_back(fmt::format("compute {:.0f}", open.count * flop_per_second));
    open = {};
  };
  for (const TracedLayer& layer : workload.layers) open += layer.forward;
  for (std::size_t i = workload.layers.size(); i-- > 0;) {
    const TracedLayer& layer = workload.layers[i];
    open += layer.backward;
    if (layer.parameters == 0) continue;
    compute();
    lines.push_back(fmt::format("allreduce {} 0 {}", layer.parameters * gradient_bytes_per_value, byte_type));
  }
  open += workload.optimizer;
  compute();
  lines.emplace_back("finalize");
  return lines;
}

}  // namespace

std::string print_smpi_trace(const TracedWorkload& workload, int ranks) {
  const std::vector<std::string> lines = actions(workload);
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    for (const std::string& line : lines) text += fmt::format("{} {}\n", rank, line);
  }
  return text;
}

}  // namespace calibrate::imports
