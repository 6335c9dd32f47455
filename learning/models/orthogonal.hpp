// Towards the nearest orthogonal matrix, by Newton-Schulz iterations: what Muon makes of a momentum.
#pragma once

#include <span>
#include <vector>

#include "kernels/matrix.hpp"

namespace learning::models {

/// Coefficients of s -> a s + b s^3 + c s^5, which an iteration does to each singular value s: those of a
/// matrix of Frobenius norm 1 come near 1 in five of them (0.7 to 1.2), unless they begin near 0.
/// Source: Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024.
struct NewtonSchulz {
  float a = 3.4445F;
  float b = -4.7750F;
  float c = 2.0315F;
};

/// X = M / ||M||, then `iterations` times with A = X X^T: X = a X + (b A + c A A) X; of the transposed matrix
/// where it has more rows than columns. A matrix of zeros stays one.
/// @param matrix  row by row; overwritten by X
/// @param room    memory that is used again
void orthogonalise(std::span<float> matrix, const kernels::Shape& shape, int iterations,
                   std::vector<float>& room);

}  // namespace learning::models
