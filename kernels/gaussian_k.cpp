// The normal quantile, then halving and raising until about k pass.
#include "kernels/gaussian_k.hpp"

#include <cassert>
#include <cmath>
#include <numbers>
#include <optional>

#include "kernels/kept.hpp"
#include "kernels/statistics.hpp"

namespace kernels {
namespace {

/// The z that a standard normal value exceeds in magnitude with probability `share`, in (0, 1].
double two_sided_quantile(double share) {
  double low = 0, high = 40;  // erfc underflows before 40
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Root mean square of the finite values.
double spread(std::span<const float> vector, const Statistics& found) {
  if (found.finite == 0) return 0;
  double squares = found.energy;
  if (found.finite < static_cast<std::int64_t>(vector.size())) {
    squares = 0;
    for (const float value : vector) squares += is_finite(value) ? static_cast<double>(value) * value : 0;
  }
  return std::sqrt(squares / static_cast<double>(found.finite));
}

}  // namespace

GaussianK::GaussianK(const Settings& settings)
    : Sparsifier(settings.index_bytes), settings_(settings), quantile_(two_sided_quantile(settings.ratio)) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 0);
}

double GaussianK::search(std::span<const float> vector, std::int64_t k, double threshold) const {
  std::optional<double> too_low, too_high;
  for (int round = 0; round < settings_.rounds; ++round) {
    const std::int64_t passing = count_at_least(vector, at_least(threshold));
    if (3 * passing >= 2 * k && 3 * passing <= 4 * k) break;
    const bool few = passing < k;
    (few ? too_high : too_low) = threshold;
    if (too_low && too_high) {
      threshold = (*too_low + *too_high) / 2;
    } else {
      threshold *= few ? 0.5 : 1.5;
    }
  }
  return threshold;
}

Message GaussianK::compress(std::span<const float> vector) {
  const Statistics found = measure(vector);
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  candidates_.collect(vector, at_least(search(vector, k, quantile_ * spread(vector, found))));
  if (candidates_.count() == 0 && !vector.empty()) {
    candidates_.collect(vector, found.largest);
    candidates_.keep_largest(1);
  }
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
