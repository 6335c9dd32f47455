// One pass above a known threshold.
#include "kernels/threshold.hpp"

#include <cassert>
#include <cmath>

namespace kernels {

Threshold::Threshold(const Settings& settings)
    : Sparsifier(settings.index_bytes), threshold_(at_least(settings.threshold)) {
  assert(std::isfinite(settings.threshold) && settings.threshold >= 0);
}

Message Threshold::compress(std::span<const float> vector) {
  const double given = candidates_.collect(vector, threshold_);
  return gathered(vector, candidates_.indices(), given);
}

Message Threshold::compress_fed(std::span<const float> gradient, std::span<float> residual) {
  const double given = candidates_.collect_fed(gradient, residual, threshold_);
  const Message message = gathered(residual, candidates_.indices(), given);
  subtract(message, residual);
  return message;
}

}  // namespace kernels
