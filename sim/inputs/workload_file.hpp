// Workloads from scenarios/workloads or written in place, and their keys.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"
#include "settings/fields.hpp"
#include "sim/inputs/device_file.hpp"
#include "sim/language/value.hpp"

namespace sim::inputs {

// Every key of a workload: of a file in scenarios/workloads, and of a model stated in place.

/// Time per step outside the device; written as one time where it does not grow with the batch.
struct HostOverheadKeys {
  netmodels::Seconds fixed;
  netmodels::Seconds per_sample;
};

/// Source of the times of the layers.
struct TimesKeys {
  std::optional<std::string> measured;
  std::optional<netmodels::Seconds> total;
  std::optional<std::string> roofline;
  std::optional<std::string> device;
  std::optional<Precision> precision;
  int batch = 1;
  std::optional<double> fixed_share;
  std::vector<std::string> unmeasured;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

/// A workload with a layer table.
struct LayeredKeys {
  std::string name;
  std::string provenance;
  std::string layers;
  std::optional<netmodels::Bytes> buffers;
  TimesKeys times;
};

/// A workload without layers.
struct PlainKeys {
  std::string name;
  std::string provenance;
  std::string device;
  std::int64_t parameters = 1;
  std::int64_t tensors = 64;
  std::optional<netmodels::Bytes> buffers;
  netmodels::Seconds compute;
  int batch = 1;
  std::optional<double> fixed_share;
  netmodels::Seconds optimizer;
  HostOverheadKeys host_overhead;
};

constexpr std::string_view choice_key(std::type_identity<HostOverheadKeys>) { return "fixed"; }

void describe(settings::Fields& fields, HostOverheadKeys& value);

void describe(settings::Fields& fields, TimesKeys& value);

void describe(settings::Fields& fields, LayeredKeys& value);

void describe(settings::Fields& fields, PlainKeys& value);

/// Facts of a cluster that its workload depends on.
struct WorkloadCluster {
  /// The cluster's device, of which a roofline is whatever device the workload names; null: that one.
  const language::Value* device = nullptr;
  std::optional<int> workers = {};  ///< nothing: not stated
};

// Workloads of scenarios/workloads, or stated in place by a scenario.

/// @param value     the name of a file in `data_dir`/workloads, a path, or the map itself
/// @param data_dir  the folder `scenarios`
/// @returns the workload, or an Error with file:line:column, key or column, value and what is accepted
///
/// With layers, the map holds name, provenance, `layers` (a CSV file next to it) and `times`, with one of
///   measured: FILE     GPU time of each layer at `batch` (CSV); `device` is a text; `unmeasured` lists types
///                      of layers that the file does not cover
///   total: TIME        of both passes at `batch`, spread over the layers by their roofline time on `device`
///   roofline: DEVICE   predicted at `batch` on that device
/// and may say optimizer (per step), host_overhead (per step; a time, or a map of fixed and per_sample) and,
/// for the first two, fixed_share.
///
/// Without layers, the map holds `parameters`, `compute` (both passes at `batch`) and `batch`, and may say
/// name, provenance, device and `tensors`: the number of equal layers, by default 64, so that the exchange
/// of most of them overlaps the backward pass as in models with layers; a third of the time forward and two
/// thirds backward, as their FLOPs.
///
/// With `graph`, a step runs as a trace has it, operation by operation, with the collectives of the cluster;
/// the map also holds `parameters` and `batch`, and may say `device`, `precision` and `stack`: see
/// traced_workload_file.hpp.
///
/// With `transformer`, `config` or `model`, the map describes a transformer: see transformer_file.hpp.
///
/// `buffers` states the state that is not trained; without it, it follows from the batch
/// normalisations of the layer table.
///
/// Time grows with the batch as t = a + b batch. Where only one batch is known, a = fixed_share t and b takes
/// the rest; fixed_share is 0 unless the file states it, so that small batches come out too fast: layers
/// bound by the launch of their kernels do not shrink with the batch.
///
netmodels::Result<netmodels::Workload> load_workload(const language::Value& value,
                                                     const std::filesystem::path& data_dir,
                                                     const WorkloadCluster& cluster = {});

/// The type of a workload that is stated in place, by the keys it has.
const settings::Type& workload_type(const language::Value& map);

/// One of the ways to state a workload.
struct WorkloadForm {
  std::string_view with;  ///< words that distinguish it from the others, after "workload"
  std::string_view doc;
  const settings::Type* type;
};

/// All ways to state a workload in place or in a file.
std::array<WorkloadForm, 4> workload_forms();

/// Names that `load_workload` accepts, sorted.
std::vector<std::string> list_workloads(const std::filesystem::path& data_dir);

}  // namespace sim::inputs
