// Percentiles over samples, and what it is worth to know an input before choosing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sim::report {

/// The middle and the ends of the middle nine tenths.
struct Percentiles {
  double median = 0;
  double low = 0;   ///< 5th percentile
  double high = 0;  ///< 95th percentile
};

/// Linear between neighbouring values.
/// @param values  at least 1, in any order
Percentiles percentiles_of(std::span<const double> values);

/// What each choice costs in each sample: a list for each choice, all of the same length, at least one.
using Costs = std::vector<std::vector<double>>;

/// The choice with the least mean cost: what somebody chooses who knows no input better than the samples do.
std::size_t best_on_average(const Costs& costs);

/// By how much the mean cost falls if every input is known before choosing, in the unit of the costs:
/// E[C_best - min_i C_i], with the choice that is best on average. At least 0. (EVPI)
double value_of_all(const Costs& costs);

/// By how much it falls if one input is known: E[C_best - C_i(x)], where i(x) is the choice with the least
/// conditional mean E[C_i | x] (EVPPI). The conditional mean of each difference of costs is its regression on
/// a cubic in the input, in orthogonal polynomials; a difference of which the cubic explains no more than
/// chance would (F-test at 1 %) does not depend on the input. Each sample is decided by the fit to all others
/// and counts with its own costs, so that noise that was fitted is never counted as a gain, and the value is
/// at most that of all inputs. Exact, for the samples at hand, where differences are cubic in the input and
/// depend on nothing else; else too low rather than too high: a step in the input is smoothed.
/// @param input  its value in each sample, at least 8 samples, not all equal
/// @returns at least 0
/// Source: Strong, Oakley & Brennan, "Estimating Multiparameter Partial Expected Value of Perfect Information
///         from a Probabilistic Sensitivity Analysis Sample: A Nonparametric Regression Approach", Medical
///         Decision Making 34(3), 2014: the regression; there with splines and Gaussian processes, and
///         without leaving samples out.
double value_of_knowing(std::span<const double> input, const Costs& costs);

}  // namespace sim::report
