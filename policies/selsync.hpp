// SelSync: the workers exchange when the gradient of any of them has changed enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "netmodels/quantity.hpp"
#include "policies/moving_average.hpp"
#include "policies/relative_change.hpp"
#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Form of a worker's gradient norm that is smoothed.
enum class GradientNorm : std::uint8_t { squared, plain };

constexpr auto names_of(GradientNorm) {
  return std::to_array<settings::Named<GradientNorm>>(
      {{"squared", GradientNorm::squared}, {"plain", GradientNorm::plain}});
}

/// When parameters are averaged.
enum class AverageMoment : std::uint8_t { after_step, before_step };

constexpr auto names_of(AverageMoment) {
  return std::to_array<settings::Named<AverageMoment>>(
      {{"after_step", AverageMoment::after_step}, {"before_step", AverageMoment::before_step}});
}

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
/// after it (`average`).
///
/// Where a step's largest Delta was measured with these settings (a recorded training), it is taken in place
/// of that of the norms, which may be known in some steps only.
///
/// Leaves out: that the released code adds the norms of layers, and smooths Delta again.
/// Source: Tyagi & Swany, "Accelerating Distributed ML Training via Selective Synchronization", IEEE CLUSTER
///         2023, equation (2) and Algorithm 1; window and smoothing in section III. The quantile is ours.
class SelSync final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::optional<double> threshold = {};               ///< delta, at least 0; or else a quantile
    std::optional<double> quantile = {};                ///< q, in (0, 1)
    std::optional<double> smoothing = {};               ///< s, in (0, 1]; nothing: N / 100, at most 1
    std::size_t window = usual_change_window;           ///< steps that the average spans, at least 1
    bool absolute = false;                              ///< whether a falling norm asks as a rising one does
    GradientNorm norm = GradientNorm::squared;          ///< form of the norm that is smoothed
    std::int64_t warmup_steps = 0;                      ///< length of the warm-up, whose steps all exchange
    AverageMoment average = AverageMoment::after_step;  ///< moment of averaging parameters
    Averaged averaged = Averaged::parameters;
    netmodels::Seconds change_time = {};  ///< worker's time to compute Delta in each step, at least 0

    bool operator==(const Settings&) const = default;
    [[nodiscard]] bool exchanges_models() const { return averaged == Averaged::parameters; }
    [[nodiscard]] netmodels::Seconds deciding_time() const { return change_time; }
    [[nodiscard]] Synchronisation exchange() const;
  };
  explicit SelSync(const Settings& settings);

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<SelSync>(*this);
  }
  /// Workers without computed gradients never ask for an exchange.
  Decision decide(const SynchronisationObservation& seen) override;

 private:
  /// @returns the relative change, nothing in a worker's first step
  std::optional<double> change(std::uint32_t worker, double squared_norm, double smoothing);

  [[nodiscard]] bool asks_for(const ChangeMeasure& measure, double smoothing) const;

  Settings settings_;
  std::vector<RelativeChange> changes_of_;  ///< relative changes by worker
  std::optional<RecentQuantile> changes_;   ///< the largest of each step; where a quantile is asked for
};

void describe(settings::Fields& fields, SelSync::Settings& settings);
/// Neither or both of threshold and quantile; gradients averaged before the step.
std::optional<settings::Problem> problem_of(const SelSync::Settings& settings);

}  // namespace policies
