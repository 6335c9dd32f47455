// Mean gradient norms of epoch windows, and what their change means.
#include "policies/accordion.hpp"

#include <cmath>

namespace policies {

CompressionPlan Accordion::plan(const CompressionObservation& seen) {
  const double window = std::floor(seen.epoch / settings_.interval);
  if (window > window_) {
    end_window();
    window_ = window;
  }
  return {{high_ ? settings_.high : settings_.low}, std::nullopt};
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

}  // namespace policies
