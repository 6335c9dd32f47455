// Layer tables and measured layer times, as they lie in CSV files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "netmodels/result.hpp"
#include "netmodels/workload.hpp"

namespace sim::scenario {

/// Reads the columns layer, type, parameters, forward_flops_per_sample, backward_flops_per_sample and
/// activation_bytes_per_sample.
/// @returns layers in forward order, their times 0; or an Error with its position: as `TableFile`, or a layer
///          without a name or with the name of another
netmodels::Result<std::vector<netmodels::Layer>> read_layers(const std::filesystem::path& path);

/// Forward and backward time of one layer at the batch at which it was measured.
struct MeasuredTime {
  netmodels::Seconds forward;
  netmodels::Seconds backward;
};

/// Reads the columns layer, forward_us and backward_us. A row `TYPE_total` is the sum over all layers of that
/// type that have no row of their own; it is spread over them by the size of their activations.
/// @param layers      whose times are wanted
/// @param unmeasured  types of layers that the file does not cover; they get no time
/// @returns one entry per layer; or an Error with its position: as `TableFile`; a row that is neither a layer
///          nor a total; a row that stands twice; a layer that has no row
netmodels::Result<std::vector<MeasuredTime>> read_measured(const std::filesystem::path& path,
                                                           const std::vector<netmodels::Layer>& layers,
                                                           const std::vector<std::string>& unmeasured);

}  // namespace sim::scenario
