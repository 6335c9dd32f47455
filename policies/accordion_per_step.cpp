// The relative change of a smoothed norm from step to step.
#include "policies/accordion_per_step.hpp"

#include <cmath>

#include "settings/type.hpp"

namespace policies {

void AccordionPerStep::learn(const CompressionOutcome& outcome) {
  if (!outcome.squared_norm) return;
  const std::optional<double> before = norm_.value();
  const double now = norm_.add(std::sqrt(*outcome.squared_norm), settings_.smoothing);
  // Not divided, so that norms of zero are no special case; what is no number compresses low.
  if (before) high_ = std::abs(now - *before) < settings_.threshold * *before || now == *before;
}

void describe(settings::Fields& fields, AccordionPerStep::Settings& settings) {
  describe_two_ratios(fields, settings.ratios);
  fields.field({.name = "threshold",
                .doc = "Relative change of the smoothed norm, from one step to the next, that is fast.",
                .fallback = "0.2",
                .bounds = settings::between(0, 1e9)},
               settings.threshold);
  fields.field({.name = "smoothing",
                .doc = "Weight of a new norm in its moving average.",
                .fallback = "0.05",
                .bounds = settings::above_up_to(0, 1)},
               settings.smoothing);
}

}  // namespace policies
