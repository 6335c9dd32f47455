// AdaptDL's files: validations of whole trainings, and step times by placement.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/fits/placement_law.hpp"
#include "calibrate/fits/statistical_run.hpp"
#include "netmodels/result.hpp"

namespace calibrate::imports {

// Whole trainings as AdaptDL's validation files have them: progress, metric and gradient statistics by epoch.

/// One row of a validation file.
struct AdaptdlRow {
  double progress = 0;   ///< steps that the initial batch would have needed
  double iteration = 0;  ///< steps of this training, the first being 0
  double metric = 0;     ///< as printed: a share, or percent
  double grad_sqr = 0;   ///< |G|^2
  double grad_var = 0;   ///< tr(Sigma) / B_0, of the initial batch B_0 and not of this training's own
};

/// One validation file.
struct AdaptdlRun {
  std::string file;
  double batch = 1;  ///< samples of all workers
  std::vector<AdaptdlRow> rows;
};

/// Whether the text begins with the header of a validation file.
bool is_adaptdl(std::string_view text);

/// Reads progress,iteration,metric,grad_sqr,grad_var.
/// @param source  named in errors; ends in the batch, as in `validation-1024.csv`
/// @returns an Error for a name without a batch, another header, a row of another width, a cell that is
///          no finite number, iterations that do not rise, or no rows
netmodels::Result<AdaptdlRun> import_adaptdl(std::string_view text, const std::string& source);

/// The batch that AdaptDL's scale-free statistics refer to: that of the run whose progress counts its own
/// steps.
/// @returns nothing where none does, or two that do differ
std::optional<double> initial_batch(std::span<const AdaptdlRun> runs);

/// The run with the noise scale B_0 grad_var / grad_sqr, where both are above 0.
/// @param initial  B_0, samples; nothing leaves the noise scale unknown
/// @param unit     of the metric: 1, or 0.01 where it is in percent
/// Source: AdaptDL's gain (var + sqr) / (var B_0 / B + sqr) in A. Qiao et al., "Pollux: Co-adaptive
///         Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI 2021, section 3, with progress
///         as its sum.
/// @returns an Error with the place of a metric that is not a share in this unit
netmodels::Result<fits::TrainingRun> training_of(const AdaptdlRun& run, std::optional<double> initial,
                                                 double unit);

// AdaptDL's step times per placement and local batch.

/// One row.
struct AdaptdlStep {
  std::string placement;  ///< as written: a digit for the GPUs of each node, or `NODES x REPLICAS`
  fits::PlacedStep step;
};

/// Reads placement,local_bsz,step_time (placements.csv: `1144` are four nodes with 1, 1, 4 and 4 GPUs) or
/// num_nodes,num_replicas,local_bsz,step_time (scalability.csv); times in seconds.
/// @param source  named in errors
/// @returns at least one row, or an Error with its place
netmodels::Result<std::vector<AdaptdlStep>> read_adaptdl_placements(std::string_view text,
                                                                    std::string_view source);

}  // namespace calibrate::imports
