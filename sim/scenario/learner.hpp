// Where accuracy comes from, as a scenario states it.
#pragma once

#include <cstdint>
#include <optional>

#include "learning/learners/learner_row.hpp"

namespace sim::scenario {

/// When a training has learned enough: one of the two is stated.
struct Target {
  Target() = default;
  Target(double share) : accuracy(share) {}  // NOLINT(google-explicit-constructor): the short form

  std::optional<double> accuracy = {};  ///< on the test set, in (0, 1]
  std::optional<double> loss = {};      ///< mean cross-entropy on the test set, nats, above 0

  /// Whether a test of this accuracy and loss reaches it; an unknown loss does not.
  [[nodiscard]] bool reached_by(double tested_accuracy, std::optional<double> tested_loss) const {
    if (accuracy) return tested_accuracy >= *accuracy;
    return loss && tested_loss && *tested_loss <= *loss;
  }

  bool operator==(const Target&) const = default;
};

struct Learner {
  learning::learners::LearnerChoice kind;
  bool error_feedback = true;        ///< unsent values are added to the next gradient
  double residual_decay = 1;         ///< they are multiplied by it first, in (0, 1]; of learners that train
  std::int64_t evaluate_every = 20;  ///< steps
  std::optional<Target> target;

  bool operator==(const Learner&) const = default;
};

}  // namespace sim::scenario
