// Setting the period by the learning rate after each exchange.
#include "policies/qsr.hpp"

#include <algorithm>
#include <cmath>

namespace policies {

std::int64_t Qsr::period_at(std::optional<double> learning_rate) const {
  constexpr double longest = 1e12;
  if (!learning_rate) return settings_.every;
  const double ratio = settings_.alpha / *learning_rate;  // infinite at a rate of 0
  const double period = std::min(longest, std::floor(ratio * ratio));
  return std::max(settings_.every, static_cast<std::int64_t>(period));
}

Decision Qsr::decide(const SynchronisationObservation& seen) {
  if (exchanged_at_ && seen.step > *exchanged_at_) {
    begun_ = *exchanged_at_ + 1;
    exchanged_at_.reset();
    period_.reset();
  }
  if (!period_) period_ = period_at(seen.warmed_up_rate);
  if (seen.step + 1 - begun_ < *period_ && !seen.last) return Synchronisation::stay_local;
  exchanged_at_ = seen.step;
  return Synchronisation::average_parameters;
}

void describe(settings::Fields& fields, Qsr::Settings& settings) {
  describe_every(fields, settings.every, "Least number of steps between two exchanges (H_base).");
  fields.field({.name = "alpha",
                .doc = "Alpha of (alpha / learning rate)^2 steps between two exchanges, where that is more "
                       "than `every`.",
                .bounds = settings::above_up_to(0, 1e6),
                .example = "0.4"},
               settings.alpha);
}

}  // namespace policies
