// The gradient noise scale, from gradients of two batch sizes that every data-parallel step has anyway.
#pragma once

#include <optional>
#include <span>

#include "learning/learners/learner.hpp"

namespace learning::learners {

/// Smooths estimates of |G|^2, the squared norm of the true gradient, and of tr(Sigma), the summed variance
/// of single samples' gradients; their ratio is the noise scale B_noise in samples, the batch size at which
/// noise and signal are equal.
///
///   E ||g_w||^2     = |G|^2 + tr(Sigma) / b_w            for a worker's batch of b_w samples
///   E ||mean g||^2  = |G|^2 + tr(Sigma) sum(l_w^2 / b_w)  for a mean with weights l_w
///
/// Two equations for two unknowns, each unbiased; both are smoothed before their ratio is taken.
/// Leaves out: workers whose data differ in distribution, whose spread counts as noise here.
/// Source: McCandlish, Kaplan, Amodei et al., "An Empirical Model of Large-Batch Training",
///         arXiv:1812.06162, 2018, appendix A.1.
class NoiseScale {
 public:
  /// @param smoothing  weight of a new estimate, in (0, 1]
  explicit NoiseScale(double smoothing = 0.02) : smoothing_(smoothing) {}

  /// Passes over steps whose norms are not finite, as those of a training that diverged are.
  /// @param squared_norms      ||g_w||^2, one per share
  /// @param mean_squared_norm  of the weighted mean of the same gradients, nothing left out
  void add(std::span<const Share> shares, std::span<const double> squared_norms, Weights weights,
           double mean_squared_norm);

  /// @returns samples, at least 0; nothing for a single worker and while noise hides the signal
  [[nodiscard]] std::optional<double> value() const;

 private:
  double smoothing_;
  double signal_ = 0;  ///< |G|^2
  double noise_ = 0;   ///< tr(Sigma)
  bool begun_ = false;
};

}  // namespace learning::learners
