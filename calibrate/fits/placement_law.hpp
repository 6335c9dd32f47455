// The model of step times by placement, and the search that fits it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "netmodels/quantity.hpp"
#include "netmodels/result.hpp"

namespace calibrate::fits {

// The minimum of a function of several variables, without derivatives.

/// Downhill simplex search from `start`, whose first simplex goes `step` along each variable; restarted once
/// from where it ended. Finds a local minimum; deterministic.
/// @param steps  most steps of each of the two searches
/// Source: J. A. Nelder and R. Mead, "A Simplex Method for Function Minimization", The Computer Journal 7(4),
///         1965.
std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& value,
                             std::vector<double> start, double step, int steps);

// The time of a training step over local batch and placement.

/// The placement of replicas and the work of each.
struct Placement {
  int nodes = 1;
  int replicas = 1;        ///< K, all together
  double local_batch = 1;  ///< b, samples of one replica
};

/// A measured step.
struct PlacedStep {
  Placement placement;
  netmodels::Seconds time;
};

/// T = (T_compute^overlap + T_sync^overlap)^(1/overlap), with
///
///   T_compute = compute_start + compute_per_sample b
///   T_sync    = 0 for K = 1, local_start + local_per_replica max(K-2, 0) on one node,
///               remote_start + remote_per_replica max(K-2, 0) on several
///
/// Source: A. Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI
///         2021, equations (9) to (11).
struct PlacementLaw {
  netmodels::Seconds compute_start;
  netmodels::Seconds compute_per_sample;
  netmodels::Seconds remote_start;
  netmodels::Seconds remote_per_replica;
  netmodels::Seconds local_start;
  netmodels::Seconds local_per_replica;
  double overlap = 1;  ///< gamma, 1 (none) to 10 (all but whole)
};

netmodels::Seconds predict(const PlacementLaw& law, const Placement& placement);

/// Minimises Huber's loss of log(predicted / measured), quadratic up to 0.1, by a simplex search.
/// @param steps  some on one replica, on one node with several, and on several nodes
/// @returns an Error with an empty `where` where one of the three is missing
/// Leaves out: unequal nodes, and other jobs on the same nodes.
netmodels::Result<PlacementLaw> fit_placements(std::span<const PlacedStep> steps);

}  // namespace calibrate::fits
