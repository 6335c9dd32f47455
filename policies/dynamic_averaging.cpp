// Comparing each worker's distance with the threshold.
#include "policies/dynamic_averaging.hpp"

#include <algorithm>

namespace policies {

Decision DynamicAveraging::decide(const SynchronisationObservation& seen) {
  if (exchanged_at_ && seen.step > *exchanged_at_) {
    begun_ = *exchanged_at_ + 1;
    exchanged_at_.reset();
  }
  const bool far = std::ranges::any_of(seen.squared_drifts, [this](double drift) {
    return !(drift <= settings_.threshold);
  });  // NaN asks, too
  const bool late = settings_.longest && seen.step + 1 - begun_ >= *settings_.longest;
  if (!far && !late) return Synchronisation::stay_local;
  exchanged_at_ = seen.step;
  return Synchronisation::average_parameters;
}

void describe(settings::Fields& fields, DynamicAveraging::Settings& settings) {
  fields.field(
      {.name = "threshold",
       .doc = "Squared distance ||x - r||^2 of a worker's model from the one that all had last, above "
              "which all average (Delta); it grows with the number of parameters and the learning "
              "rate. Looked at before a step, so that an exchange comes one local step later than in the "
              "source.",
       .bounds = settings::between(0, 1e12),
       .example = "0.5"},
      settings.threshold);
  fields.field(
      {.name = "longest",
       .doc = "Largest number of steps between two exchanges; without it, only the distance decides.",
       .bounds = settings::between(1, 1e9),
       .example = "100"},
      settings.longest);
}

}  // namespace policies
