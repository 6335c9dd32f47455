// Fuzz targets: each importer on any bytes, and the invariants of its results.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <string_view>

#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "calibrate/imports/training_config.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "tests/fuzz/demand.hpp"

namespace fuzz {

/// Measurements are refused with a reason, or read back from their own file.
inline void check_imported(const netmodels::Result<calibrate::imports::Imported>& imported) {
  namespace measurements = calibrate::measurements;
  if (!imported) return demand(!imported.error().what.empty());
  demand(!imported->measured.points.empty());
  demand(measurements::parse_csv(measurements::print_csv(imported->measured), "csv").has_value());
}

/// A workload is refused with a reason, or its times are finite and none is negative, and it can be printed.
inline void check_workload(const netmodels::Result<calibrate::imports::TracedWorkload>& workload) {
  namespace imports = calibrate::imports;
  if (!workload) return demand(!workload.error().what.empty());
  const auto usable = [](netmodels::Seconds time) { return std::isfinite(time.count) && time.count >= 0; };
  demand(usable(workload->host_overhead) && usable(workload->optimizer));
  for (const imports::TracedLayer& layer : workload->layers)
    demand(usable(layer.forward) && usable(layer.backward) && layer.parameters >= 0 && !layer.name.empty());
  imports::print_workload(*workload, {"fuzzed", "layers.csv", "times.csv", "", ""});
  imports::print_smpi_trace(*workload, 2);
}

inline void nccl_tests(std::string_view text) {
  check_imported(calibrate::imports::import_nccl_tests(text, "log", {}));
}

inline void osu(std::string_view text) {
  calibrate::imports::LogHints hints;
  hints.ranks = 4;
  check_imported(calibrate::imports::import_osu(text, "log", hints));
}

inline void kineto(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  check_workload(calibrate::imports::import_kineto(stream, "trace", {}));
}

inline void chakra(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  const auto trace = calibrate::imports::read_chakra(stream, "trace");
  if (!trace) return demand(!trace.error().what.empty());
  check_workload(calibrate::imports::import_chakra({*trace, *trace}, {}));
}

/// Each kind of configuration is refused with a reason, or its scenario is.
inline void training_config(std::string_view text) {
  for (const auto& format : calibrate::imports::config_formats()) {
    auto config = format.read(text, "folder-that-is-missing/config");
    if (!config) {
      demand(!config.error().what.empty());
      continue;
    }
    const calibrate::imports::ConfigHints hints{
        .workers = 64, .workers_per_node = 8, .mfu = "30 %", .model = "gpt2"};
    const auto scenario =
        calibrate::imports::print_scenario(*config, hints, "folder-that-is-missing/config", "-");
    demand(scenario ? !scenario->empty() : !scenario.error().what.empty());
  }
}

}  // namespace fuzz
