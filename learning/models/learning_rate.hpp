// The learning rate over the course of a training: warm-up, decay, factors, scaling with the batch.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "settings/choice.hpp"
#include "settings/fields.hpp"
#include "settings/moment.hpp"

namespace learning::models {

/// Change of the rate: from some moment on, it is multiplied by a factor.
struct RateChange {
  settings::Moment at;  ///< a step or an epoch
  double factor = 1;    ///< above 0

  bool operator==(const RateChange&) const = default;
};

/// The course of a decay, from 1 at its start to 0 at its end, by the share t of it that is over.
enum class DecayShape : std::uint8_t {
  cosine,  ///< (1 + cos(pi t)) / 2
  linear,  ///< 1 - t
};

constexpr auto names_of(DecayShape) {
  return std::to_array<settings::Named<DecayShape>>(
      {{"cosine", DecayShape::cosine}, {"linear", DecayShape::linear}});
}

/// Decay: from the first step on the rate falls to a share of itself, where it stays.
/// Source: Loshchilov & Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", ICLR 2017, equation
/// 5,
///         without restarts.
struct RateDecay {
  DecayShape shape = DecayShape::cosine;
  settings::Moment until;  ///< a step or an epoch above 0
  double to = 0;           ///< share of the rate at the end, in [0, 1]

  bool operator==(const RateDecay&) const = default;
};

/// How the learning rate changes: linear warm-up, decay, factors, and scaling with the batch. The map under
/// `learner.rate`.
struct RateSchedule {
  double warmup_epochs = 0;       ///< at least 0; in them the rate rises in a straight line to its full value
  std::int64_t warmup_steps = 0;  ///< at least 0; the same in steps; one of the two is 0
  double warmup_from = 0;         ///< share of the full rate at the start, in [0, 1]
  std::optional<RateDecay> decay = {};
  std::vector<RateChange> changes = {};
  std::optional<int> reference_batch = {};  ///< samples of all workers that the base rate is meant for; the
                                            ///< rate grows in proportion to the batch; none: it does not

  bool operator==(const RateSchedule&) const = default;
};

void describe(settings::Fields& fields, RateChange& change);
/// Refuses a change at a time, which the training does not know.
std::optional<settings::Problem> problem_of(const RateChange& change);
void describe(settings::Fields& fields, RateDecay& decay);
/// Refuses an end at a time, and one at the start.
std::optional<settings::Problem> problem_of(const RateDecay& decay);
void describe(settings::Fields& fields, RateSchedule& schedule);
/// Refuses two lengths of the warm-up, and one that is not over before the decay is.
std::optional<settings::Problem> problem_of(const RateSchedule& schedule);

/// How far a training is before a step.
struct Progress {
  std::int64_t step = 0;  ///< steps done
  double epoch = 0;       ///< epochs done
  double batch = 1;       ///< samples of all workers in this step
};

/// base * (batch / reference_batch) * warm-up * decay * every factor whose moment has come.
///
/// Goyal's gradual warm-up, from the base rate to the scaled one, is warmup_from = reference_batch / batch.
/// Source: Goyal et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", arXiv:1706.02677,
/// 2017,
///         sections 2.1 and 2.2.
/// @param base  above 0
double learning_rate(double base, const RateSchedule& schedule, const Progress& progress);

}  // namespace learning::models
