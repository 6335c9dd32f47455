// Linear least squares through measured points, for a handful of unknowns.
#pragma once

#include <span>
#include <vector>

namespace policies {

/// The x with the least sum of (rows x - values)^2. Where the rows do not determine all of x, as with fewer
/// rows than unknowns, a column that depends on those before it gets 0: write the columns that matter most
/// first.
/// @param rows    each as long as the others; at least one
/// @param values  one per row, finite
/// @returns as many numbers as a row has
/// Source: Bjorck, "Numerical Methods for Least Squares Problems", SIAM 1996, section 2.3 (Householder QR).
std::vector<double> least_squares(std::span<const std::vector<double>> rows, std::span<const double> values);

}  // namespace policies
