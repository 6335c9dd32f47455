// Sums of known terms with unknown factors of 0 or above, fitted to measured times.
#pragma once

#include <span>
#include <vector>

namespace calibrate::fits {

/// A measured value and the terms that make it up.
struct Observation {
  std::vector<double> terms;  ///< as many in every observation
  double value = 0;           ///< above 0
};

/// sum factor_i term_i.
double sum_of(std::span<const double> factors, std::span<const double> terms);

/// The factors that minimise Huber's loss of the relative residuals (sum - value) / value, quadratic up to 5
/// % and linear beyond, under factor_i >= 0: coordinate descent on the normal equations, reweighted until the
/// factors settle. A factor whose term is 0 everywhere is 0.
/// @param observations  at least one; more than there are terms, or the factors are not unique
/// Source: P. J. Huber, "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35(1), 1964; V.
/// Franc,
///         V. Hlavac and M. Navara, "Sequential Coordinate-Wise Algorithm for the Non-negative Least Squares
///         Problem", CAIP 2005.
std::vector<double> fit_factors(std::span<const Observation> observations);

}  // namespace calibrate::fits
