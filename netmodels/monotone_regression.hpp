// Monotone (isotonic) regression: the rising sequence closest to given values.
#pragma once

#include <span>
#include <vector>

namespace netmodels {

/// The sequence that never falls and has the least weighted sum of squared differences from the values:
/// neighbours out of order share their mean.
/// @param values   in order; any number
/// @param weights  of the squares, above 0, one per value; empty: all equal
/// @returns one value for each
/// Source: R. E. Barlow et al., "Statistical Inference under Order Restrictions", Wiley, 1972: pool adjacent
///         violators.
std::vector<double> monotone_regression(std::span<const double> values, std::span<const double> weights = {});

}  // namespace netmodels
