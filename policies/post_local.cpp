// Gradients until the moment, then counting local steps.
#include "policies/post_local.hpp"

namespace policies {

Decision PostLocal::decide(const SynchronisationObservation& seen) {
  if (!has_come(settings_.local_from, {}, seen.step, seen.epoch)) return Synchronisation::average_gradients;
  return (seen.step + 1) % settings_.every == 0 ? Synchronisation::average_parameters
                                                : Synchronisation::stay_local;
}

void describe(settings::Fields& fields, PostLocal::Settings& settings) {
  describe_every(fields, settings.every, "Number of steps between two exchanges, once steps are local.");
  fields.field({.name = "local_from",
                .doc = "Step or epoch from which steps are local; before it all workers average gradients in "
                       "every step.",
                .example = "epoch 10"},
               settings.local_from);
}

std::optional<settings::Problem> problem_of(const PostLocal::Settings& settings) {
  if (settings.local_from.unit != settings::Moment::Unit::time) return {};
  return settings::Problem{"local_from", "local steps begin at a step or an epoch, not at a time",
                           "write for example `local_from: epoch 10`"};
}

}  // namespace policies
