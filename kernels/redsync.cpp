// Bisection until k to 2k pass.
#include "kernels/redsync.hpp"

#include <cassert>

#include "kernels/kept.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

RedSync::RedSync(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

/// @returns a threshold that at least k pass, and at most 2k if the search found such a one
Magnitude RedSync::search(std::span<const float> vector, std::int64_t k, double mean, double largest) const {
  const bool enough_above_mean = count_at_least(vector, at_least(mean)) >= k;
  double low = enough_above_mean ? mean : 0;
  double high = enough_above_mean ? largest : mean;
  Magnitude passed_by_k = at_least(low);
  for (int round = 0; round < settings_.rounds; ++round) {
    const double middle = (low + high) / 2;
    const Magnitude limit = at_least(middle);
    const std::int64_t passing = count_at_least(vector, limit);
    if (passing < k) {
      high = middle;
      continue;
    }
    passed_by_k = limit;
    if (passing <= 2 * k) break;
    low = middle;
  }
  return passed_by_k;
}

Message RedSync::compress(std::span<const float> vector) {
  const Statistics found = measure(vector);
  const std::int64_t k = kept(settings_.ratio, static_cast<std::int64_t>(vector.size()));
  candidates_.collect(vector, search(vector, k, found.mean(), absolute(found.largest)));
  if (candidates_.count() > 2 * k) candidates_.keep_largest(k);
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
