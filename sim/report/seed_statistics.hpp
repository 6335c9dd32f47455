// Means over seeds with their intervals, and what so many seeds can show.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace sim::report {

/// A mean and the interval that holds the true one in 95 % of cases.
struct SeedMean {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// Bootstrap over the values, with percentiles moved outwards so that few values do not look too certain: the
/// expanded percentile interval, at Phi(-sqrt(n / (n - 1)) t) with the 97.5 % quantile t of Student's
/// distribution of n - 1 degrees of freedom. 10 000 resamples, always the same.
/// @param values  one for each seed, at least 2
/// Source: Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69
/// (2015), 3.3.
SeedMean mean_over_seeds(std::span<const double> values);

/// The middle value, or the mean of the two in the middle.
/// @param values  at least 1
double median(std::span<const double> values);

/// How many seeds would show a difference of this size, with 80 % power at 5 %: (1.96 + 0.84)^2 (s / size)^2,
/// at least 2.
/// @param differences  of two arms on common seeds, at least 2
/// @param size         above 0, in the unit of the differences
std::size_t seeds_to_show(std::span<const double> differences, double size);

/// The two-sided sign test: how likely it is, if neither of two arms were better, that one is ahead so often.
/// @param ahead  of `count` seeds without ties
/// @returns 0 to 1; 1 without a seed
double sign_test(std::size_t ahead, std::size_t count);

}  // namespace sim::report
