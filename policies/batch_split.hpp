// A global batch split among workers in proportion, in whole samples and within bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/batching_policy.hpp"

namespace policies {

/// b_k = B w_k / sum_i w_i, each bounded; samples cut off by a bound go to the other workers in proportion.
/// Fractions are rounded by largest remainder, among equal ones in favour of the first, so that sum b_k = B
/// wherever the bounds leave room for it.
///
/// @param total    B, at least 0
/// @param weights  w, one for each of `workers`, above 0 and finite
/// @param bounds   of each worker
/// @returns whole samples; their sum differs from B only where all workers are at their bounds
std::vector<int> split_batch(std::int64_t total, std::span<const double> weights,
                             std::span<const WorkerObservation> workers, const BatchBounds& bounds);

/// The nearest whole number of samples within the bounds of this worker.
int bounded_batch(double samples, std::uint32_t worker, const BatchBounds& bounds);

/// The samples of all workers together.
std::int64_t global_batch(std::span<const WorkerObservation> workers);

/// `samples` where they differ from what the workers have, else nothing.
std::optional<std::vector<int>> if_changed(std::vector<int> samples,
                                           std::span<const WorkerObservation> workers);

}  // namespace policies
