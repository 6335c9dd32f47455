// The learning rate at one moment, and the keys of its schedule.
#include "learning/models/learning_rate.hpp"

#include "settings/type.hpp"

namespace learning::models {

void describe(settings::Fields& fields, RateChange& change) {
  fields.field({.name = "at", .doc = "Step or epoch.", .example = "epoch 15"}, change.at);
  fields.field({.name = "factor",
                .doc = "What the learning rate is multiplied by from there on.",
                .bounds = settings::above_up_to(0, 1000),
                .example = "0.1"},
               change.factor);
}

std::optional<settings::Problem> problem_of(const RateChange& change) {
  if (change.at.unit != settings::Moment::Unit::time) return std::nullopt;
  return settings::Problem{"at", "the learning rate changes at a step or an epoch, not at a time",
                           "write for example `at: epoch 15`"};
}

void describe(settings::Fields& fields, RateSchedule& schedule) {
  fields.field({.name = "warmup_epochs",
                .doc = "Epochs over which the learning rate rises linearly from 0.",
                .fallback = "0",
                .bounds = settings::between(0, 1e6)},
               schedule.warmup_epochs);
  fields.field({.name = "warmup_from",
                .doc = "Share of the learning rate at which the warm-up begins.",
                .fallback = "0",
                .bounds = settings::between(0, 1),
                .example = "10 %",
                .share = true},
               schedule.warmup_from);
  fields.field({.name = "changes", .doc = "Points at which the learning rate changes."}, schedule.changes);
  fields.field({.name = "reference_batch",
                .doc = "Samples of all workers in a step for which the learning rate is meant; it is scaled "
                       "linearly to those that there are.",
                .bounds = settings::between(1, 1e9),
                .example = "256"},
               schedule.reference_batch);
}

double learning_rate(double base, const RateSchedule& schedule, const Progress& progress) {
  double rate = base;
  if (schedule.reference_batch) rate *= progress.batch / *schedule.reference_batch;
  if (progress.epoch < schedule.warmup_epochs) {
    const double done = progress.epoch / schedule.warmup_epochs;
    rate *= schedule.warmup_from + (1 - schedule.warmup_from) * done;
  }
  for (const RateChange& change : schedule.changes) {
    if (has_come(change.at, {}, progress.step, progress.epoch)) rate *= change.factor;
  }
  return rate;
}

}  // namespace learning::models
