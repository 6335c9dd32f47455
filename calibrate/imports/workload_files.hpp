// A traced workload as the files that scenarios read: the workload and, beside it, its two tables.
#pragma once

#include <string>

#include "calibrate/imports/traced_workload.hpp"

namespace calibrate::imports {

/// What the tables are called, seen from the workload, and what the person who imports adds.
struct WorkloadNames {
  std::string name;
  std::string layers_file;
  std::string times_file;
  std::string source;   ///< provenance; empty: the trace
  std::string licence;  ///< provenance; empty: not stated
};

/// The text of each file.
struct WorkloadFiles {
  std::string workload;  ///< YAML
  std::string layers;    ///< CSV: layer,type,parameters,...
  std::string times;     ///< CSV: layer,forward_us,backward_us
};

/// Prints a workload whose times are `measured`; the head of each file says where they come from.
/// Leaves out: FLOPs and activations, which no trace holds: they stand as 0.
WorkloadFiles print_workload(const TracedWorkload& workload, const WorkloadNames& names);

}  // namespace calibrate::imports
