// The learning rate at one moment, and the keys of its schedule.
#include "learning/models/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "settings/type.hpp"

namespace learning::models {

void describe(settings::Fields& fields, RateChange& change) {
  fields.field({.name = "at", .doc = "Step or epoch.", .example = "epoch 15"}, change.at);
  fields.field({.name = "factor",
                .doc = "Factor of the learning rate from there on.",
                .bounds = settings::above_up_to(0, 1000),
                .example = "0.1"},
               change.factor);
}

std::optional<settings::Problem> problem_of(const RateChange& change) {
  if (change.at.unit != settings::Moment::Unit::time) return std::nullopt;
  return settings::Problem{"at", "the learning rate changes at a step or an epoch, not at a time",
                           "write for example `at: epoch 15`"};
}

void describe(settings::Fields& fields, RateDecay& decay) {
  fields.field({.name = "shape",
                .doc = "Course of the decay, from the first step on, also while the rate warms up.",
                .fallback = "cosine"},
               decay.shape);
  fields.field({.name = "until", .doc = "Step or epoch at which it ends.", .example = "step 2000"},
               decay.until);
  fields.field({.name = "to",
                .doc = "Share of the learning rate that is left then.",
                .fallback = "0",
                .bounds = settings::between(0, 1),
                .example = "10 %",
                .share = true},
               decay.to);
}

std::optional<settings::Problem> problem_of(const RateDecay& decay) {
  const bool by_time = decay.until.unit == settings::Moment::Unit::time;
  if (!by_time && decay.until.value > 0) return std::nullopt;
  return settings::Problem{"until",
                           by_time
                               ? "the decay of the learning rate ends at a step or an epoch, not at a time"
                               : "the decay of the learning rate ends where it begins",
                           "write for example `until: step 2000`"};
}

std::optional<settings::Problem> problem_of(const RateSchedule& schedule) {
  const auto steps = static_cast<double>(schedule.warmup_steps);
  if (schedule.warmup_epochs > 0 && steps > 0) {
    return settings::Problem{"warmup_steps", "the warm-up has two lengths",
                             "write `warmup_epochs` or `warmup_steps`"};
  }
  if (schedule.warmup_from > 0 && schedule.warmup_epochs == 0 && steps == 0) {
    return settings::Problem{"warmup_from", "the learning rate does not warm up",
                             "write `warmup_epochs` or `warmup_steps`, or leave it out"};
  }
  if (!schedule.decay) return std::nullopt;
  const settings::Moment& end = schedule.decay->until;
  const bool by_epoch = end.unit == settings::Moment::Unit::epoch;
  const double warm_up = by_epoch ? schedule.warmup_epochs : steps;
  if (warm_up == 0 || warm_up < end.value) return std::nullopt;
  const std::string_view unit = by_epoch ? "epoch" : "step";
  return settings::Problem{fmt::format("warmup_{}s", unit),
                           fmt::format("the warm-up takes {:g} {}s, and the decay is over at {} {:g}",
                                       warm_up, unit, unit, end.value),
                           fmt::format("accepted: less than {:g}, the end of the decay", end.value)};
}

void describe(settings::Fields& fields, RateSchedule& schedule) {
  fields.field({.name = "warmup_epochs",
                .doc = "Epochs over which the learning rate rises linearly from `warmup_from`.",
                .fallback = "0",
                .bounds = settings::between(0, 1e6)},
               schedule.warmup_epochs);
  fields.field({.name = "warmup_steps",
                .doc = "Steps over which the learning rate rises linearly, in place of epochs.",
                .fallback = "0",
                .bounds = settings::between(0, 1e12)},
               schedule.warmup_steps);
  fields.field({.name = "warmup_from",
                .doc = "Share of the learning rate at which the warm-up begins.",
                .fallback = "0",
                .bounds = settings::between(0, 1),
                .example = "10 %",
                .share = true},
               schedule.warmup_from);
  fields.field({.name = "decay", .doc = "Decay of the learning rate."}, schedule.decay);
  fields.field({.name = "changes", .doc = "Points at which the learning rate changes."}, schedule.changes);
  fields.field({.name = "reference_batch",
                .doc = "Global batch for which the learning rate is stated; the rate is scaled linearly to "
                       "the actual one.",
                .bounds = settings::between(1, 1e9),
                .example = "256"},
               schedule.reference_batch);
}

namespace {

/// cos(pi t) for t in [0, 1] to 1e-15, by its series: the same bits on every machine.
double cosine_of_half_turns(double t) {
  const double angle = 3.14159265358979324 * (0.5 - t);  // sine of it is the cosine
  double series = 1;
  for (int k = 22; k >= 2; k -= 2) series = 1 - series * angle * angle / (k * (k + 1));
  return angle * series;
}

double decay_of(const RateDecay& decay, const Progress& progress) {
  const bool by_epoch = decay.until.unit == settings::Moment::Unit::epoch;
  const double done = by_epoch ? progress.epoch : static_cast<double>(progress.step);
  const double t = std::min(1.0, done / decay.until.value);
  const double left = decay.shape == DecayShape::linear ? 1 - t : 0.5 * (1 + cosine_of_half_turns(t));
  return decay.to + (1 - decay.to) * left;
}

}  // namespace

double learning_rate(double base, const RateSchedule& schedule, const Progress& progress) {
  double rate = base;
  if (schedule.reference_batch) rate *= progress.batch / *schedule.reference_batch;
  if (progress.epoch < schedule.warmup_epochs) {
    const double done = progress.epoch / schedule.warmup_epochs;
    rate *= schedule.warmup_from + (1 - schedule.warmup_from) * done;
  }
  if (progress.step < schedule.warmup_steps) {
    const double done = static_cast<double>(progress.step) / static_cast<double>(schedule.warmup_steps);
    rate *= schedule.warmup_from + (1 - schedule.warmup_from) * done;
  }
  if (schedule.decay) rate *= decay_of(*schedule.decay, progress);
  for (const RateChange& change : schedule.changes) {
    if (has_come(change.at, {}, progress.step, progress.epoch)) rate *= change.factor;
  }
  return rate;
}

}  // namespace learning::models
