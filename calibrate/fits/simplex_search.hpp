// The minimum of a function of several variables, by its values alone.
#pragma once

#include <functional>
#include <vector>

namespace calibrate::fits {

/// Downhill simplex search from `start`, whose first simplex goes `step` along each variable; begun anew once
/// from where it ended. Finds a local minimum; deterministic.
/// @param steps  most steps of each of the two searches
/// Source: J. A. Nelder and R. Mead, "A Simplex Method for Function Minimization", The Computer Journal 7(4),
///         1965.
std::vector<double> minimise(const std::function<double(const std::vector<double>&)>& value,
                             std::vector<double> start, double step, int steps);

}  // namespace calibrate::fits
