// The learning rate over the course of a training.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "settings/fields.hpp"
#include "settings/moment.hpp"

namespace learning::models {

/// From some moment on, the rate is multiplied by a factor.
struct RateChange {
  settings::Moment at;  ///< a step or an epoch
  double factor = 1;    ///< above 0

  bool operator==(const RateChange&) const = default;
};

/// How the learning rate changes: linear warm-up, factors, and scaling with the batch. The map under
/// `learner.rate`.
struct RateSchedule {
  double warmup_epochs = 0;  ///< at least 0; in them the rate rises in a straight line to its full value
  double warmup_from = 0;    ///< share of the full rate at the start, in [0, 1]
  std::vector<RateChange> changes = {};
  std::optional<int> reference_batch = {};  ///< samples of all workers that the base rate is meant for; the
                                            ///< rate grows in proportion to the batch; none: it does not

  bool operator==(const RateSchedule&) const = default;
};

void describe(settings::Fields& fields, RateChange& change);
/// Refuses a change at a time, which the training does not know.
std::optional<settings::Problem> problem_of(const RateChange& change);
void describe(settings::Fields& fields, RateSchedule& schedule);

/// How far a training is before a step.
struct Progress {
  std::int64_t step = 0;  ///< steps done
  double epoch = 0;       ///< epochs done
  double batch = 1;       ///< samples of all workers in this step
};

/// base * (batch / reference_batch) * warm-up * every factor whose moment has come.
///
/// Goyal's gradual warm-up, from the base rate to the scaled one, is warmup_from = reference_batch / batch.
/// Source: Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", arXiv:1706.02677,
/// 2017,
///         sections 2.1 and 2.2.
/// @param base  above 0
double learning_rate(double base, const RateSchedule& schedule, const Progress& progress);

}  // namespace learning::models
