// The gradients that the MPI probe exchanges, and what every rank must hold afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "netmodels/result.hpp"

namespace calibrate::probes {

/// Element `element` of rank `rank`'s gradient: a whole number of -32767 to 32767, so that fp32 sums of up to
/// 512 ranks are exact in any order.
float gradient_value(int rank, std::size_t element);

/// The first `elements` values of the rank's gradient.
std::vector<float> gradient_of(int rank, std::size_t elements);

/// The sum over all ranks, element by element.
std::vector<float> dense_sum(int ranks, std::size_t elements);

/// What a top-k exchange leaves: the sum of what each rank's `kernels::TopK` sends.
std::vector<float> top_k_sum(int ranks, std::size_t elements, double ratio);

/// What AR-Topk leaves: the sum over all ranks at the places that rank 0's top-k chooses, 0 elsewhere.
std::vector<float> ar_top_k_sum(int ranks, std::size_t elements, double ratio);

/// How many values each rank brings to the all-gatherv: rank i 0.5 + i/(N-1) of the mean, at least one.
/// @param elements  of all ranks together, before rounding
/// @param ranks     N, at least 2
std::vector<int> unequal_parts(int ranks, std::size_t elements);

/// The length of `kept` values and as many indices in words of 4 bytes, as MPI counts them: 2^29 at most for
/// the largest gradient of `read_sizes`, where their bytes pass the range of an int.
/// @param kept  at most 2^28
int pair_words(std::size_t kept);

/// @returns an Error that names the first element that differs, or two unequal lengths
netmodels::Result<void> compare(std::span<const float> wanted, std::span<const float> got);

}  // namespace calibrate::probes
