// The normal quantile, then halving and raising until about k pass.
#include "kernels/gaussian_k.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

#include "kernels/magnitude.hpp"
#include "kernels/statistics.hpp"

namespace kernels {
namespace {

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

double GaussianK::quantile(double share) {
  double low = 0, high = 40;  // erfc underflows before 40
  for (int round = 0; round < 60; ++round) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

GaussianK::GaussianK(const Settings& settings)
    : Sparsifier(settings.index_bytes), settings_(settings), quantile_(quantile(settings.ratio)) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 0);
}

Message GaussianK::compress(std::span<const float> vector) {
  const Statistics found = measure(vector);
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  GaussianKSearch search{quantile_ * spread(vector, found), k, settings_.rounds};
  while (!search.done()) search.hear(count_at_least(vector, search.requested()));
  const bool none = search.cut().largest > 0 && !vector.empty();
  candidates_.collect(vector, none ? found.largest : search.requested());
  if (none) candidates_.keep_largest(1);
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
