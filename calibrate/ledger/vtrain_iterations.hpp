// Measured iterations of Megatron-DeepSpeed, predicted from others and from tables of all-reduces.
#pragma once

#include <vector>

#include "calibrate/ledger/prediction.hpp"
#include "netmodels/result.hpp"

namespace calibrate::ledger {

/// An iteration as a sum of terms with fitted factors of 0 or above. With m micro-batches a replica, p
/// stages, L layers, s = (m + p - 1) L/p layers that one stage plays in a row, b l tokens of width h in a
/// micro-batch, t ranks that share a layer and d replicas, the terms are
///
///   1                                  what every iteration costs
///   s, and s again where t > 1         starting the kernels of a layer
///   s (24 b l h^2 + 4 b l^2 h) / t     multiplications of a layer
///   s b l h / t, s b a l^2 / t         memory traffic of its activations and its attention scores (a heads)
///   s 4 AR(t, 2 b l h)                 all-reduces between the ranks that share it, half precision
///   AR(d, 2 (12 h^2 L/p + v h) / t)    all-reduce of the gradients between replicas
///   m b l h v / t                      the vocabulary, v = 51200 words
///
/// AR is read off the seen tables, linear between sizes; below the smallest size it keeps half of that time
/// and scales the rest; where a number of ranks was not measured, the nearest below it counts, its time
/// scaled by (N-1)/N.
///
/// @param evidence  seen: vTrain's look-up tables; measured: its iterations
/// Leaves out: overlap of the stages' sends with anything.
/// Source of the multiplications: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
///         Clusters Using Megatron-LM", SC 2021, appendix.
netmodels::Result<std::vector<Prediction>> predict_vtrain_iterations(const Evidence& evidence);

/// The same, fitted to the iterations on fewer than 8 GPUs; predicted are those on 8.
netmodels::Result<std::vector<Prediction>> predict_vtrain_on_eight(const Evidence& evidence);

}  // namespace calibrate::ledger
