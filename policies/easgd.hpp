// Elastic averaging: workers explore by themselves and are drawn to a centre from time to time.
#pragma once

#include <cstdint>

#include "policies/synchronisation_policy.hpp"

namespace policies {

/// Every tau-th step, the first one too, begins with a move of workers and centre towards each other by the
/// moving rate alpha:
///
///   x_w = x_w - alpha (x_w - centre) - learning rate g(x_w),   centre = centre + alpha sum_w (x_w - centre)
///
/// where all values on the right are from before the step.
///
/// Leaves out: workers that exchange with the centre at different times.
/// Source: Zhang, Choromanska & LeCun, "Deep Learning with Elastic Averaging SGD", NIPS 2015, (3), (4) and
///         Algorithm 1.
class Easgd final : public SynchronisationPolicy {
 public:
  struct Settings {
    std::int64_t every = 1;                  ///< tau, at least 1
    std::optional<double> moving_rate = {};  ///< alpha, in (0, 1 / N]; nothing: `Easgd::moving_rate`

    bool operator==(const Settings&) const = default;
    [[nodiscard]] std::optional<std::int64_t> period() const { return every; }
    [[nodiscard]] bool exchanges_models() const { return true; }
    /// A centre that moves past the mean of the workers.
    [[nodiscard]] std::optional<settings::Problem> problem_with(int workers) const;
  };
  explicit Easgd(const Settings& settings) : settings_(settings) {}

  [[nodiscard]] std::unique_ptr<SynchronisationPolicy> copy() const override {
    return std::make_unique<Easgd>(*this);
  }
  Decision decide(const SynchronisationObservation& seen) override;

  /// alpha = beta / N with the beta = 0.9 that the source recommends (section 5).
  /// @param workers  N, at least 1
  [[nodiscard]] static double moving_rate(std::uint32_t workers);

 private:
  Settings settings_;
};

void describe(settings::Fields& fields, Easgd::Settings& settings);

}  // namespace policies
