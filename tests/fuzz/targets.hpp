// Fuzz targets of what `calibrate` reads: each reader on any bytes, and the invariants of its results.
#pragma once

#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>

#include "calibrate/imports/adaptdl.hpp"
#include "calibrate/imports/chakra.hpp"
#include "calibrate/imports/kineto.hpp"
#include "calibrate/imports/live_mpi.hpp"
#include "calibrate/imports/mahimahi.hpp"
#include "calibrate/imports/nccl_tests.hpp"
#include "calibrate/imports/node_topology.hpp"
#include "calibrate/imports/osu.hpp"
#include "calibrate/imports/sim_result.hpp"
#include "calibrate/imports/traced_workload.hpp"
#include "calibrate/imports/training_config.hpp"
#include "calibrate/imports/vtrain.hpp"
#include "calibrate/ledger/nccl_machines.hpp"
#include "calibrate/measurements/kernel_time.hpp"
#include "calibrate/measurements/measurement_csv.hpp"
#include "tests/fuzz/demand.hpp"
#include "tests/fuzz/target.hpp"

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

/// Fuzzes topologies: what a machine prints of itself is refused with a reason, or a part of a cluster, or
/// lacks an option.
inline void node_topology(std::string_view text) {
  namespace imports = calibrate::imports;
  const auto node = imports::read_topology(text, "node");
  if (!node) return demand(!node.error().what.empty());
  demand(node->gpus >= 1);
  const auto printed = imports::print_node(
      *node, {.compute_capability = 90, .network_kind = "infiniband", .rate = "400 Gbit/s"});
  demand(printed ? printed->text.find("nccl:") != std::string::npos : !printed.error().hint.empty());
}

/// A trace of a link is refused, or steps of a bandwidth above 0 at rising times.
inline void mahimahi(std::string_view text) {
  const auto link = calibrate::imports::import_mahimahi(text, "trace", netmodels::Seconds{0.5});
  if (!link) return demand(!link.error().what.empty());
  netmodels::Seconds last{-1};
  for (const auto& step : link->steps) {
    demand(step.at > last && std::isfinite(step.bandwidth.count) && step.bandwidth.count > 0);
    last = step.at;
  }
  demand(last < link->period);
}

/// Measured times of compressors are refused, or read back from their own file.
inline void kernel_times(std::string_view text) {
  namespace measurements = calibrate::measurements;
  const auto read = measurements::parse_kernel_times(text, "times");
  if (!read) return demand(!read.error().what.empty());
  demand(!read->times.empty());
  demand(measurements::parse_kernel_times(measurements::print_kernel_times(*read), "again").has_value());
}

/// Measured times of collectives are refused, or printed and read as the same.
inline void measurements(std::string_view text) {
  const auto read = calibrate::measurements::parse_csv(text, "table");
  if (!read) return demand(!read.error().what.empty());
  const auto again = calibrate::measurements::parse_csv(calibrate::measurements::print_csv(*read), "again");
  demand(again && again->points == read->points);
}

/// Machines are refused, or described completely.
inline void nccl_machines(std::string_view text) {
  const auto read = calibrate::ledger::parse_nccl_machines(text, "machines");
  if (!read) return demand(!read.error().what.empty());
  demand(!read->empty());
  for (const auto& machine : *read) demand(netmodels::nccl::validate(machine.hardware).has_value());
}

inline void sim_result(std::string_view text) {
  const auto read = calibrate::imports::read_sim_result(text, "result");
  if (!read) return demand(!read.error().what.empty());
  for (const auto& figure : *read) demand(std::isfinite(figure.ours) && std::isfinite(figure.theirs));
}

/// Tables of other people: each reader refuses the text, or has rows with finite figures.
inline void published_tables(std::string_view text) {
  namespace imports = calibrate::imports;
  const auto each = [](const auto& read, const auto& check) {
    if (!read) return demand(!read.error().what.empty());
    demand(!read->empty());
    for (const auto& row : *read) check(row);
  };
  const auto is_time = [](netmodels::Seconds time) { return std::isfinite(time.count) && time.count >= 0; };
  each(imports::read_adaptdl_placements(text, "placements.csv"),
       [&](const imports::AdaptdlStep& row) { demand(!row.placement.empty()); });
  each(imports::read_vtrain_iterations(text, "iterations.csv"),
       [&](const imports::VtrainIteration& row) { demand(is_time(row.time) && row.tensor >= 1); });
  each(imports::read_live_mpi(text, "live.csv"),
       [&](const imports::LiveRow& row) { demand(is_time(row.time) && row.setting.ranks >= 2); });
  const auto table = imports::import_vtrain_table(text, "AR_GPU4_1M_1024M_LUT");
  demand(table ? !table->points.empty() : !table.error().what.empty());
  const auto training = imports::import_adaptdl(text, "validation-1024.csv");
  demand(training ? !training->rows.empty() : !training.error().what.empty());
}

inline constexpr std::array targets_of_calibrate{Target{"nccl_tests", nccl_tests},
                                                 Target{"osu", osu},
                                                 Target{"kineto", kineto},
                                                 Target{"chakra", chakra},
                                                 Target{"training_config", training_config},
                                                 Target{"node_topology", node_topology},
                                                 Target{"mahimahi", mahimahi},
                                                 Target{"kernel_times", kernel_times},
                                                 Target{"measurements", measurements},
                                                 Target{"nccl_machines", nccl_machines},
                                                 Target{"sim_result", sim_result},
                                                 Target{"published_tables", published_tables}};

}  // namespace fuzz
