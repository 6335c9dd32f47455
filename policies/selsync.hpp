// SelSync: the workers exchange when the gradient of any of them has changed enough.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Each worker smooths its ||g||^2 and asks for an exchange when the relative change of that average reaches
/// the threshold (delta):
///
///   E_i = E_(i-1) + s (||g_i||^2 - E_(i-1)),   Delta_i = |E_i - E_(i-1)| / E_(i-1)
///   exchange iff Delta_i >= delta for any worker
///
/// delta = 0 is bulk-synchronous; a delta above every Delta is local SGD without end. The first
/// `warmup_steps` always exchange. The printed formula has no bars and averages over a window of 25; the
/// released code takes the absolute value, of norms that are not squared.
///
/// Leaves out: a window of limited length (with s >= 0.08 what lies 25 steps back weighs below 13 %).
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, equation (2) and Algorithm 1.
class SelSync final : public SynchronisationPolicy {
 public:
  struct Settings {
    double threshold = 0.1;           ///< delta, at least 0
    std::optional<double> smoothing;  ///< s, in (0, 1]; nothing: N / 100, at most 1
    std::int64_t warmup_steps = 25;
    Synchronisation exchange = Synchronisation::average_parameters;  ///< not stay_local
  };

  explicit SelSync(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<SelSync>(*this);
  }
  /// Workers whose gradients nobody computes never ask for an exchange.
  Synchronisation decide(const SynchronisationObservation& seen) override;

 private:
  /// @returns the relative change, nothing in a worker's first step
  std::optional<double> change(std::uint32_t worker, double squared_norm, double smoothing);

  Settings settings_;
  std::vector<std::optional<double>> averages_;  ///< by worker
};

}  // namespace policies
