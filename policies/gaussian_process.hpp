// A Gaussian process over a few points: the posterior mean and deviation between them.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace policies {

/// A place in the unit square.
using Place = std::array<double, 2>;

/// Mean and standard deviation of a normal distribution.
struct Belief {
  double mean = 0;
  double deviation = 0;
};

/// Kernel Matern 5/2 with one length for both coordinates,
///
///   k(r) = s^2 (1 + sqrt(5) r / l + 5 r^2 / (3 l^2)) exp(-sqrt(5) r / l),
///
/// about the mean of the values. The length is that of 0.125, 0.25, 0.5, 1, 2 with the largest marginal
/// likelihood, s^2 the likeliest for it. A millionth of s^2 on the diagonal keeps the matrix regular.
///
/// Source: Rasmussen & Williams, "Gaussian Processes for Machine Learning", MIT Press 2006, algorithm 2.1,
///         (4.17) and (5.8).
class GaussianProcess {
 public:
  /// @param places  each once; at least one
  /// @param values  one per place, finite
  GaussianProcess(std::span<const Place> places, std::span<const double> values);

  [[nodiscard]] Belief at(const Place& place) const;
  [[nodiscard]] double length() const { return length_; }

 private:
  void factor(double length);
  [[nodiscard]] std::vector<double> forward(std::vector<double> right) const;

  std::vector<Place> places_;
  std::vector<double> centred_;
  double mean_ = 0;
  double length_ = 1;
  double variance_ = 0;         ///< s^2
  double likelihood_ = 0;       ///< logarithm, without what is the same for all lengths
  std::vector<double> lower_;   ///< Cholesky factor of k / s^2, column by column
  std::vector<double> solved_;  ///< lower^-1 centred
};

/// Mean of max(best - x, 0) for x as believed: how much less than `best` may be expected.
/// Source: Jones, Schonlau, Welch, "Efficient Global Optimization of Expensive Black-Box Functions", Journal
///         of Global Optimization 13, 1998, (15).
double expected_improvement(const Belief& belief, double best);

}  // namespace policies
