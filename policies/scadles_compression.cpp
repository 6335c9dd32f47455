// Smooths the loss of compression and compares it with a threshold.
#include "policies/scadles_compression.hpp"

#include <cmath>

#include "settings/type.hpp"

namespace policies {

CompressionPlan ScadlesCompression::plan(const CompressionObservation& seen) {
  if (settings_.average == LossAverage::exponential) {
    weight_ = settings_.smoothing.value_or(weight_by_workers(seen.workers));
  } else {
    const double epoch = std::floor(seen.epoch);
    if (epoch > epoch_) losses_ = 0;
    epoch_ = epoch;
    weight_ = 1 / (losses_ + 1);  // a running mean is an average whose newest value weighs 1/n
  }
  return {{compressed_}, std::nullopt};
}

std::optional<std::size_t> ScadlesCompression::choose(const CompressionTrials& shown) {
  const std::optional<double> gain = shown.gains.front();
  if (!gain || !std::isfinite(*gain)) return std::nullopt;
  ++losses_;
  const double loss = loss_.add(std::abs(1 - converted_gain(*gain, settings_.gain_of)), weight_);
  return loss <= settings_.threshold ? std::optional<std::size_t>(0) : std::nullopt;
}

void describe(settings::Fields& fields, ScadlesCompression::Settings& settings) {
  fields.field({.name = "threshold",
                .doc = "Share of ||g||^2 that compression may lose (delta); beyond it the step is dense.",
                .fallback = "0.3",
                .bounds = settings::between(0, 1),
                .share = true},
               settings.threshold);
  fields.field(
      {.name = "average",
       .doc = "How the lost share is smoothed: over all steps, as published, or by the mean since the "
              "epoch began, as in the released code.",
       .fallback = "exponential"},
      settings.average);
  fields.field({.name = "smoothing",
                .doc = "Weight of a new share in the exponential average; without it, workers / 100.",
                .bounds = settings::above_up_to(0, 1),
                .example = "0.16"},
               settings.smoothing);
  describe_gain_of(fields, settings.gain_of);
}

std::optional<settings::Problem> problem_of(const ScadlesCompression::Settings& settings) {
  if (!settings.smoothing || settings.average == LossAverage::exponential) return std::nullopt;
  return settings::Problem{"smoothing", "`average: epoch_mean` is a plain mean without weights",
                           "leave out `smoothing`, or write `average: exponential`"};
}

}  // namespace policies
