// Bisection until k to 2k pass.
#include "kernels/redsync.hpp"

#include <cassert>

#include "kernels/magnitude.hpp"
#include "kernels/statistics.hpp"

namespace kernels {

RedSync::RedSync(const Settings& settings) : Sparsifier(settings.index_bytes), settings_(settings) {
  assert(settings.ratio > 0 && settings.ratio <= 1 && settings.rounds >= 1);
}

Message RedSync::compress(std::span<const float> vector) {
  const Statistics found = measure(vector);
  const auto elements = static_cast<std::int64_t>(vector.size());
  const std::int64_t k = kept(settings_.ratio, elements);
  RedSyncSearch search{found.mean(), absolute(found.largest), elements, k, settings_.rounds};
  while (!search.done()) search.hear(count_at_least(vector, search.requested()));
  candidates_.collect(vector, search.limit);
  if (search.cut().largest > 0) candidates_.keep_largest(k);
  return gathered(vector, candidates_.indices(), found.energy);
}

}  // namespace kernels
