// Workloads whose step runs as a trace has it.
#pragma once

#include <cstdint>
#include <string>

#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/device_file.hpp"
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
};

void describe(settings::Fields& fields, TracedKeys& value);

/// The workload of a map with `graph`: one layer, and the step.
/// @returns an Error with its place: as `read_traced_step`
netmodels::Result<netmodels::Workload> read_traced_workload(const language::Field& field);

}  // namespace sim::inputs
