// Means over seeds with their intervals, tests of pairs, and which arms they tell apart.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sim::report {

/// A mean and the interval that holds the true one in 95 % of cases.
struct SeedMean {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// Fewest seeds from which a better arm is named.
constexpr std::size_t seeds_for_verdict = 5;

/// Probability of naming a better arm where no two arms differ.
constexpr double verdict_level = 0.05;

/// Student's interval: mean +- t s / sqrt(n), with the 97.5 % quantile t of n - 1 degrees of freedom.
/// @param values  one for each seed, at least 2; the interval is exact where they are normal
/// Source: Student, "The Probable Error of a Mean", Biometrika 6(1), 1908.
SeedMean mean_over_seeds(std::span<const double> values);

/// Two-sided t-test of paired seeds: how likely a mean so far from 0 is where the true one is 0.
/// @param differences  of two arms on common seeds, at least 2
/// @returns 0 to 1; without a deviation 1 if the mean is 0, else 0
double paired_test(std::span<const double> differences);

/// The middle value, or the mean of the two in the middle.
/// @param values  at least 1
double median(std::span<const double> values);

/// How many seeds would show a difference of this size, with about 80 % power: the smallest
/// n >= `seeds_for_verdict` with n >= ((t(1 - level / 2) + t(0.8)) s / size)^2, quantiles of n - 1 degrees of
/// freedom.
/// @param differences  of two arms on common seeds, at least 2
/// @param size         above 0, in the unit of the differences
/// @param level        of the two-sided test, above 0
std::size_t seeds_to_show(std::span<const double> differences, double size, double level);

/// The two-sided sign test: how likely it is, if neither of two arms were better, that one is ahead so often.
/// @param ahead  of `count` seeds without ties
/// @returns 0 to 1; 1 without a seed
double sign_test(std::size_t ahead, std::size_t count);

/// P-values corrected for their number by Holm's step-down: the k-th smallest of m becomes (m - k + 1) p, at
/// least the one before it, at most 1. Of those that are at most L, one is a false alarm in at most a share L
/// of cases, however the tests depend on each other.
/// @returns one for each of `p_values`, in their order
/// Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
///         Statistics 6(2), 1979.
std::vector<double> holm(std::span<const double> p_values);

/// Which of several arms are better than which: [one][other].
using BetterThan = std::vector<std::vector<bool>>;

/// Arms in tiers, best first: every arm of a tier is better than every arm of the later ones, and no tier can
/// be split so.
/// @param better  of every two arms, at most one way; arms are in order of their figures
/// @returns places of arms
std::vector<std::vector<std::size_t>> tiers_of(const BetterThan& better);

}  // namespace sim::report
