// Solving for signal and noise, and smoothing both.
#include "learning/learners/noise_scale.hpp"

#include <cmath>

namespace learning::learners {

void NoiseScale::add(std::span<const Share> shares, std::span<const double> squared_norms, Weights weights,
                     double mean_squared_norm) {
  const auto workers = static_cast<double>(shares.size());
  double samples = 0;
  for (const Share& share : shares) samples += share.samples;
  double alone = 0;     // the contribution of noise to the mean of the workers' squared norms
  double together = 0;  // contribution to the squared norm of their mean
  double mean_norm = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double batch = shares[i].samples;
    const double weight = weights == Weights::uniform ? 1 / workers : batch / samples;
    alone += 1 / batch / workers;
    together += weight * weight / batch;
    mean_norm += squared_norms[i] / workers;
  }
  if (shares.size() < 2) return;
  const double noise = (mean_norm - mean_squared_norm) / (alone - together);
  const double signal = mean_norm - noise * alone;
  if (!std::isfinite(noise) || !std::isfinite(signal)) return;
  const double weight = begun_ ? smoothing_ : 1;
  signal_ += weight * (signal - signal_);
  noise_ += weight * (noise - noise_);
  begun_ = true;
}

std::optional<double> NoiseScale::value() const {
  if (!begun_ || !(signal_ > 0) || !(noise_ >= 0)) return std::nullopt;
  return noise_ / signal_;
}

}  // namespace learning::learners
