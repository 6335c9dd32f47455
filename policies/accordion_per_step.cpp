// The relative change of a smoothed norm from step to step.
#include "policies/accordion_per_step.hpp"

#include <cmath>

namespace policies {

void AccordionPerStep::learn(const CompressionOutcome& outcome) {
  if (!outcome.squared_norm) return;
  const std::optional<double> before = norm_.value();
  const double now = norm_.add(std::sqrt(*outcome.squared_norm), settings_.smoothing);
  // Not divided, so that norms of zero are no special case; what is no number compresses low.
  if (before) high_ = std::abs(now - *before) < settings_.threshold * *before || now == *before;
}

}  // namespace policies
