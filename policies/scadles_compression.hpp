// ScaDLES' adaptive compression: each step is compressed, and sent so if little energy was lost.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policies/compression_policy.hpp"
#include "policies/gain_meaning.hpp"
#include "policies/moving_average.hpp"

namespace policies {

/// How the lost energy is smoothed.
enum class LossAverage : std::uint8_t {
  exponential,  ///< exponential average over all steps, as published
  epoch_mean,   ///< the plain mean since the epoch began, as in the code
};

constexpr auto names_of(LossAverage) {
  return std::to_array<settings::Named<LossAverage>>(
      {{"exponential", LossAverage::exponential}, {"epoch_mean", LossAverage::epoch_mean}});
}

/// The share of energy that compression loses, smoothed, decides:
///
///   | ||g||^2 - ||g_c||^2 | / ||g||^2 = |1 - gain| <= delta: compressed;  else dense
///
/// A step whose gain is unknown or not finite is sent dense.
///
/// Leaves out: separate averages of both norms (the loss itself is smoothed); the majority vote of the
///             released code (the workers' mean gain decides).
/// Source: Tyagi & Swany, "ScaDLES: Scalable Deep Learning over Streaming Data at the Edge", IEEE BigData
///         2022; the running mean and the quotient of norms: its released code.
class ScadlesCompression final : public CompressionPolicy {
 public:
  struct Settings {
    double threshold = 0.3;  ///< delta, in [0, 1]
    LossAverage average = LossAverage::exponential;
    std::optional<double> smoothing = {};  ///< exponential: in (0, 1]; nothing: N / 100, at most 1
    GainMeaning gain_of = GainMeaning::squared;

    bool operator==(const Settings&) const = default;
  };

  /// @param job  what is `stated` is sent where little is lost
  ScadlesCompression(const Settings& settings, const CompressionJob& job)
      : settings_(settings), compressed_(job.stated) {}

  [[nodiscard]] std::unique_ptr<CompressionPolicy> copy() const override {
    return std::make_unique<ScadlesCompression>(*this);
  }
  CompressionPlan plan(const CompressionObservation& seen) override;
  std::optional<std::size_t> choose(const CompressionTrials& shown) override;
  void learn(const CompressionOutcome&) override {}

 private:
  Settings settings_;
  CompressionChoice compressed_;
  MovingAverage loss_;
  double weight_ = 1;  ///< weight of the next loss
  double epoch_ = 0;   ///< the last one seen, rounded down
  double losses_ = 0;  ///< how many the epoch's mean is made of
};

void describe(settings::Fields& fields, ScadlesCompression::Settings& settings);
/// An epoch's mean has no smoothing.
std::optional<settings::Problem> problem_of(const ScadlesCompression::Settings& settings);

}  // namespace policies
