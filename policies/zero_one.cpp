// The intervals of 0/1 Adam, as functions of the step.
#include "policies/zero_one.hpp"

#include <algorithm>

namespace policies {
namespace {

/// Whether step t = 1, 2, ... updates the variance: intervals 2^j, each for `updates` multiples of it.
bool updates_variance(std::int64_t t, std::int64_t updates) {
  std::int64_t end = updates;  // the last step with this interval
  std::int64_t interval = 1;
  while (t > end) {
    interval *= 2;
    end = (end / interval + updates) * interval;
  }
  return t % interval == 0;
}

/// The interval in the n-th step, n = 1, 2, ..., after the variance is frozen.
std::int64_t local_interval(std::int64_t n, const ZeroOne::Settings& settings) {
  std::int64_t interval = 1;
  for (std::int64_t doublings = (n - 1) / settings.local_doubles_every;
       doublings > 0 && interval < settings.local_limit; --doublings)
    interval *= 2;
  return std::min(interval, settings.local_limit);
}

/// The first step t = 1, 2, ... with compressed gradients, where the variance is not frozen before: the first
/// odd one after the updates in every step.
std::int64_t first_compressed(const ZeroOne::Settings& settings) {
  return settings.variance_doubles_every + 1 + settings.variance_doubles_every % 2;
}

/// The first local step t = 1, 2, ..., with a limit above 1.
std::int64_t first_local(const ZeroOne::Settings& settings) {
  std::int64_t n = settings.local_doubles_every + 1;
  while ((settings.freeze_after + n) % local_interval(n, settings) == 0) ++n;
  return settings.freeze_after + n;
}

Decision whole_gradients() {
  Decision decision = Synchronisation::average_gradients;
  decision.dense = true;
  return decision;
}

}  // namespace

Decision ZeroOne::decide(const SynchronisationObservation& seen) {
  const std::int64_t t = seen.step + 1;
  if (t <= settings_.freeze_after) {
    return updates_variance(t, settings_.variance_doubles_every)
               ? whole_gradients()
               : Decision(Synchronisation::average_gradients);
  }
  return t % local_interval(t - settings_.freeze_after, settings_) == 0 ? Synchronisation::average_momenta
                                                                        : Synchronisation::stay_local;
}

std::vector<StepKind> ZeroOne::Settings::kinds() const {
  std::vector<StepKind> kinds{
      {whole_gradients(), "a step with whole gradients, which update the variance", 0}};
  if (const std::int64_t compressed = first_compressed(*this); compressed <= freeze_after)
    kinds.push_back({Synchronisation::average_gradients, "a step with compressed gradients", compressed - 1});
  if (local_limit > 1)
    kinds.push_back(
        {Synchronisation::stay_local, "a local step, the variance frozen", first_local(*this) - 1});
  kinds.push_back({Synchronisation::average_momenta, "a step with compressed momenta, the variance frozen",
                   freeze_after});
  return kinds;
}

void describe(settings::Fields& fields, ZeroOne::Settings& settings) {
  fields.field(
      {.name = "freeze_after",
       .doc = "Steps in which gradients are exchanged and the variance is updated; later ones may be "
              "local (`var_freeze_step` of DeepSpeed).",
       .fallback = "100000",
       .bounds = settings::between(1, 1e12)},
      settings.freeze_after);
  fields.field(
      {.name = "variance_doubles_every",
       .doc = "Updates of the variance, by whole gradients, after which the steps between two of them "
              "double (`var_update_scaler`); gradients of the others are compressed.",
       .fallback = "16",
       .bounds = settings::between(1, 1e12)},
      settings.variance_doubles_every);
  fields.field({.name = "local_doubles_every",
                .doc = "Steps after `freeze_after` after which the steps between two exchanges double "
                       "(`local_step_scaler`).",
                .fallback = "32678",
                .bounds = settings::between(1, 1e12)},
               settings.local_doubles_every);
  fields.field({.name = "local_limit",
                .doc = "Most steps between two exchanges (`local_step_clipper`).",
                .fallback = "16",
                .bounds = settings::between(1, 1e6)},
               settings.local_limit);
}

}  // namespace policies
