// Random proportions that add up to one.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/philox.hpp"

namespace learning::datasets {

/// A draw from the symmetric Dirichlet distribution: `count` shares, each at least 0, that add up to 1. Small
/// concentrations give nearly all to one, large ones equal shares.
///
/// Each share is a gamma variate over the sum of all. The variate of shape a is one of shape a + 1 times
/// U^(1/a), U uniform in (0, 1), kept as a logarithm, so that small concentrations do not underflow.
/// @param count  at least 1
/// @param concentration  alpha, above 0
/// Source: Marsaglia & Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 26(3), 2000,
/// section 6.
std::vector<double> draw_dirichlet(std::size_t count, double concentration,
                                   const kernels::RandomStream& stream);

}  // namespace learning::datasets
