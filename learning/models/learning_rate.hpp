// The learning rate over the course of a training.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace learning::models {

/// From some moment on, the rate is multiplied by a factor.
struct RateChange {
  enum class Unit { epoch, step };

  Unit unit = Unit::epoch;
  double at = 0;      ///< epochs or steps done, at least 0
  double factor = 1;  ///< above 0
};

/// A schedule: base rate, linear warm-up, factors, and scaling with the batch.
struct LearningRate {
  double base = 0.1;                    ///< above 0
  std::optional<double> of_batch = {};  ///< samples of all workers that `base` is meant for; the rate grows
                                        ///< in proportion to the batch; none: it does not
  double warm_up_epochs = 0;  ///< at least 0; in them the rate rises in a straight line to its full value
  double warm_up_from = 0;    ///< share of the full rate at the start, in [0, 1]
  std::vector<RateChange> changes = {};
};

/// Where a training stands before a step.
struct Moment {
  std::int64_t step = 0;  ///< steps done
  double epoch = 0;       ///< epochs done
  double batch = 1;       ///< samples of all workers in this step
};

/// base * (batch / of_batch) * warm-up * every factor whose moment has come.
///
/// Goyal's gradual warm-up, from the base rate to the scaled one, is warm_up_from = of_batch / batch.
/// Source: Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", arXiv:1706.02677,
/// 2017,
///         sections 2.1 and 2.2.
double learning_rate(const LearningRate& schedule, const Moment& moment);

}  // namespace learning::models
