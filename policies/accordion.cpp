// Mean gradient norms of epoch windows, and what their change means.
#include "policies/accordion.hpp"

#include <cmath>

#include "settings/type.hpp"

namespace policies {

CompressionPlan Accordion::plan(const CompressionObservation& seen) {
  const double window = std::floor(seen.epoch / settings_.every_epochs);
  if (window > window_) {
    end_window();
    window_ = window;
  }
  return {{settings_.ratios.choice(high_, method_)}, std::nullopt};
}

void Accordion::learn(const CompressionOutcome& outcome) {
  if (!outcome.squared_norm) return;
  norms_ += std::sqrt(*outcome.squared_norm);
  ++steps_;
}

void Accordion::end_window() {
  if (steps_ == 0) return;
  const double now = norms_ / static_cast<double>(steps_);
  // Not divided, so that norms of zero are no special case; what is no number compresses low.
  if (before_) high_ = std::abs(*before_ - now) < settings_.threshold * *before_ || now == *before_;
  before_ = now;
  norms_ = 0;
  steps_ = 0;
}

void describe(settings::Fields& fields, Accordion::Settings& settings) {
  describe_two_ratios(fields, settings.ratios);
  fields.field({.name = "threshold",
                .doc = "Relative change of the norm that is fast.",
                .fallback = "0.5",
                .bounds = settings::between(0, 1e9)},
               settings.threshold);
  fields.field({.name = "every_epochs",
                .doc = "Epochs between two looks; may have a fraction.",
                .fallback = "10",
                .bounds = settings::above_up_to(0, 1e9)},
               settings.every_epochs);
}

}  // namespace policies
