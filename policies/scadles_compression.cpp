// Smoothing what compression loses and holding it against a threshold.
#include "policies/scadles_compression.hpp"

#include <cmath>

namespace policies {

CompressionPlan ScadlesCompression::plan(const CompressionObservation& seen) {
  if (settings_.averaging == Averaging::exponential) {
    weight_ = settings_.smoothing.value_or(weight_by_workers(seen.workers));
  } else {
    const double epoch = std::floor(seen.epoch);
    if (epoch > epoch_) losses_ = 0;
    epoch_ = epoch;
    weight_ = 1 / (losses_ + 1);  // a running mean is an average whose newest value weighs 1/n
  }
  return {{settings_.compressed}, std::nullopt};
}

std::optional<std::size_t> ScadlesCompression::choose(const CompressionTrials& shown) {
  const std::optional<double> gain = shown.gains.front();
  if (!gain || !std::isfinite(*gain)) return std::nullopt;
  ++losses_;
  const double loss = loss_.add(std::abs(1 - meant(*gain, settings_.gain)), weight_);
  return loss <= settings_.loss_threshold ? std::optional<std::size_t>(0) : std::nullopt;
}

}  // namespace policies
