// The files of figures that a scenario may name, one reader a kind.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "netmodels/kernel_cost.hpp"
#include "netmodels/measured_collective.hpp"
#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"
#include "netmodels/traced_step.hpp"
#include "netmodels/workload.hpp"
#include "policies/planning_policy.hpp"

namespace sim::inputs {

// Measured times of collectives, from the file that `calibrate fit` writes.

/// Operations that no gradient exchange uses (all-to-all, reduce, point to point) are passed over.
/// @returns the rows in the order of the file, at least one, or an Error with its place for what is not a
///          file of fits, a fit without segments, ends that do not rise, and a file in which nothing is of
///          use
netmodels::Result<std::vector<netmodels::MeasuredCollective>> read_collective_times(
    const std::filesystem::path& path);

// Measured costs of gradient compressors, from the file that `calibrate fit kernels` writes.

/// @returns at least one row, or an Error with its place for a file that is not one of kernel costs,
///          values out of range, and a method with duplicate sizes
netmodels::Result<netmodels::KernelCosts> read_kernel_costs(const std::filesystem::path& path);

// Measured figures of jobs by cluster size and batch, from a CSV file.

/// One row; what is empty there was not measured.
struct ProfileRow {
  std::string job;
  policies::Configuration configuration;
  std::optional<double> epochs;
  std::optional<double> noise;  ///< gamma / K
  std::optional<netmodels::Seconds> step;
  std::optional<netmodels::Seconds> sync;
  std::optional<netmodels::Seconds> time;  ///< time of the whole training
  std::optional<netmodels::Dollars> cost;
  std::string where;  ///< file:line:column
};

/// @returns every row, or an Error with its position: also for a duplicate configuration in a job, a
///          figure of 0, a row with neither a step nor a time, a sync that is not part of its step
netmodels::Result<std::vector<ProfileRow>> read_profile_table(const std::filesystem::path& path);

// Layer tables and measured layer times, from CSV files.

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
/// type without their own row; it is spread over them by the size of their activations.
/// @param layers      whose times are wanted
/// @param unmeasured  types of layers that the file does not cover; they get no time
/// @returns one entry per layer; or an Error with its position: as `TableFile`; a row that is neither a layer
///          nor a total; a duplicate row; a layer that has no row
netmodels::Result<std::vector<MeasuredTime>> read_measured(const std::filesystem::path& path,
                                                           const std::vector<netmodels::Layer>& layers,
                                                           const std::vector<std::string>& unmeasured);

// The operations of a traced step, from the CSV file that `calibrate import --format graph` writes.

/// Reads the columns operation (a name), stream (compute, communication, copy, host), duration_us (not of
/// collectives), after (numbers of earlier rows, counted from 0, with blanks between them), collective, bytes
/// and among (all, node, nodes; these three of the stream `communication` only). Optional columns:
/// flops, memory_bytes, kind (matmul, attention, pointwise, copy, optimizer, embedding) and precision, from
/// which a duration follows that is left empty; of collectives, group (START:STRIDE:COUNT) in place of among,
/// `gradient` as the kind of those that sum gradients (without the column kind, all sums do), the
/// precision of their values, and the number of their queue (0 to 63).
/// @returns the step, or an Error with its position: as `TableFile`; unknown words, a row that waits for
/// itself
///          or a later one, a row with neither duration nor work, a collective of 0 bytes, without a schedule
///          or on another stream; a step in which nothing happens
netmodels::Result<netmodels::TracedStep> read_traced_step(const std::filesystem::path& path,
                                                          std::optional<int> workers = {});

}  // namespace sim::inputs
