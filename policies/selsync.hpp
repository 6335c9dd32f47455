// SelSync: the workers exchange when the gradient of any of them has changed enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/moving_average.hpp"
#include "policies/recent_quantile.hpp"
#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Each worker smooths its ||g||^2 over a window of steps and asks for an exchange when the relative change
/// of that average reaches the threshold (delta):
///
///   E_i = E_(i-1) + s (||g_i||^2 - E_(i-1)),   Delta_i = (E_i - E_(i-1)) / E_(i-1)
///   exchange iff Delta_i >= delta for any worker
///
/// delta = 0 exchanges whenever a norm rises; a delta above every Delta is local SGD without end. In place of
/// a threshold, a quantile q may be given: delta is then the q-quantile of the largest Delta of the last 200
/// steps, so that about a share q of the steps stays local, however large the Deltas are.
///
/// The released code differs from what is printed, and so may the settings: |Delta_i|, ||g|| in place of
/// ||g||^2, exchanges throughout the first window, and parameters averaged before the local step and not
/// after it (`exchange`).
///
/// Leaves out: that the released code adds the norms of layers, and smooths Delta again.
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, equation (2) and Algorithm 1; window and smoothing in section III. The quantile is ours.
class SelSync final : public SynchronisationPolicy {
 public:
  struct Settings {
    double threshold = 0.1;                ///< delta, at least 0
    std::optional<double> smoothing = {};  ///< s, in (0, 1]; nothing: N / 100, at most 1
    std::int64_t warmup_steps = 0;         ///< at the beginning, which all exchange
    Synchronisation exchange = Synchronisation::average_parameters;  ///< not stay_local
    std::optional<double> quantile = {};                             ///< q, in (0, 1), in place of delta
    std::size_t window = 25;                                         ///< steps, at least 1
    bool absolute = false;                                           ///< falling norms ask as rising ones do
    bool squared = true;                                             ///< ||g||^2, else ||g||
  };

  explicit SelSync(const Settings& settings);

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<SelSync>(*this);
  }
  /// Workers whose gradients nobody computes never ask for an exchange.
  Synchronisation decide(const SynchronisationObservation& seen) override;

 private:
  /// @returns the relative change, nothing in a worker's first step
  std::optional<double> change(std::uint32_t worker, double squared_norm, double smoothing);

  Settings settings_;
  std::vector<LimitedMovingAverage> averages_;  ///< by worker
  std::optional<RecentQuantile> changes_;       ///< the largest of each step; where a quantile is asked for
};

}  // namespace policies
