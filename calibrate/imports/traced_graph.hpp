// The step of a trace as the graph it is, and the files that it is written as.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/imports/traced_workload.hpp"
#include "netmodels/traced_step.hpp"

namespace calibrate::imports {

/// One step of one rank, operation by operation.
struct TracedGraph {
  netmodels::TracedStep step;
  std::string device;  ///< empty: not stated
  int ranks = 1;
  std::optional<int> batch;        ///< nothing: neither from the trace nor from the caller
  std::int64_t parameters = 1;     ///< values that the step exchanges, in fp32 where the trace has only bytes
  std::string source;              ///< the trace, one line
  std::vector<std::string> facts;  ///< provenance, a sentence each
  std::vector<std::string> skipped;  ///< omissions, a sentence each
};

/// The values that a step's collectives carry at `bytes_per_value`: the summed gradients, or without any the
/// largest collective; at least 1.
std::int64_t exchanged_values(const netmodels::TracedStep& step, double bytes_per_value);

/// Keeps only the last dependency of each operation on each stream, and none on its own: a stream
/// runs its operations in order.
void drop_implied(netmodels::TracedStep& step);

/// `6 compute, 3 communication; 2 all_reduce of 8 MB`: what is in it, for facts.
std::string contents(const netmodels::TracedStep& step);

/// The files of a graph.
struct GraphFiles {
  std::string workload;  ///< YAML
  std::string graph;     ///< CSV; with the column group where there are any
};

/// @param graph_file  name of the CSV file, relative to the workload
/// @param names       of these `name`, `source` and `licence` are used
GraphFiles print_graph(const TracedGraph& graph, const WorkloadNames& names, const std::string& graph_file);

}  // namespace calibrate::imports
