// Where accuracy comes from, as a scenario states it.
#pragma once

#include <cstdint>
#include <optional>

#include "learning/learners/learner_row.hpp"

namespace sim::scenario {

struct Learner {
  learning::learners::LearnerChoice kind;
  bool error_feedback = true;        ///< unsent values are added to the next gradient
  std::int64_t evaluate_every = 20;  ///< steps
  std::optional<double> target;      ///< accuracy in (0, 1]

  bool operator==(const Learner&) const = default;
};

}  // namespace sim::scenario
