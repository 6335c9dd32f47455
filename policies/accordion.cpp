// Accordion in both forms, and the two ratios between which they choose.
#include "policies/accordion.hpp"

#include <cmath>

#include "settings/type.hpp"

namespace policies {

// The keys of both ratios.

void describe_two_ratios(settings::Fields& fields, TwoRatios& ratios) {
  fields.field({.name = "low_ratio",
                .doc = "Compression ratio while the gradient's norm changes fast.",
                .fallback = "10 %",
                .bounds = settings::above_up_to(0, 1),
                .share = true},
               ratios.low);
  fields.field({.name = "high_ratio",
                .doc = "Compression ratio otherwise.",
                .fallback = "1 %",
                .bounds = settings::above_up_to(0, 1),
                .share = true},
               ratios.high);
}

// Mean gradient norms of epoch windows, and what their change means.

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
                .doc = "Relative change of the norm that counts as fast.",
                .fallback = "0.5",
                .bounds = settings::between(0, 1e9)},
               settings.threshold);
  fields.field({.name = "every_epochs",
                .doc = "Epochs between two decisions; may have a fraction.",
                .fallback = "10",
                .bounds = settings::above_up_to(0, 1e9)},
               settings.every_epochs);
}

// The relative change of a smoothed norm from step to step.

void AccordionPerStep::learn(const CompressionOutcome& outcome) {
  if (!outcome.squared_norm) return;
  const std::optional<double> before = norm_.value();
  const double now = norm_.add(std::sqrt(*outcome.squared_norm), settings_.smoothing);
  // Not divided, so that norms of zero are no special case; what is no number compresses low.
  if (before) high_ = std::abs(now - *before) < settings_.threshold * *before || now == *before;
}

void describe(settings::Fields& fields, AccordionPerStep::Settings& settings) {
  describe_two_ratios(fields, settings.ratios);
  fields.field(
      {.name = "threshold",
       .doc = "Relative change of the smoothed norm, from one step to the next, that counts as fast.",
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
