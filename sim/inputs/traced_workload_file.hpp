// Workloads whose step runs as a trace has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/inputs/workload_file.hpp"
#include "sim/language/reader.hpp"

namespace sim::inputs {

/// A step that runs as it was traced.
struct TracedKeys {
  std::string name;
  std::string provenance;
  std::string device;
  std::string graph;
  std::int64_t parameters = 1;
  int batch = 1;
  std::optional<int> recorded_workers;
  std::optional<int> workers_per_replica;
  std::optional<Precision> precision;
  std::optional<std::string> stack;
};

void describe(settings::Fields& fields, TracedKeys& value);

/// The workload of a map with `graph`: one layer, and the step. Where its operations state FLOPs and bytes in
/// place of durations, these are predicted by the roofline of a device, or by the utilisation of a stack on
/// it (netmodels/device_work.hpp).
/// @param data_dir  the folder `scenarios`
/// @returns an Error with its place: as `read_traced_step`; work, and no device, or one without a precision
///          that the graph computes in; a stack that says nothing of models of this size
netmodels::Result<netmodels::Workload> read_traced_workload(const language::Field& field,
                                                            const std::filesystem::path& data_dir,
                                                            const WorkloadCluster& cluster);

}  // namespace sim::inputs
