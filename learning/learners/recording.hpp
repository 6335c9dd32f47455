// Which statistics of a live training are kept for a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "settings/fields.hpp"

namespace learning::learners {

/// What is recorded: the map under `learner.record`.
struct Recording {
  std::int64_t every = 20;          ///< steps from one recorded step to the next, at least 1
  std::string method = "topk";      ///< a sparse compressor with a ratio
  std::vector<double> ratios = {};  ///< of the gains, in (0, 1), none twice

  bool operator==(const Recording&) const = default;
};

void describe(settings::Fields& fields, Recording& recording);
/// Refuses a ratio that is named twice, and a method without a gain at a ratio.
std::optional<settings::Problem> problem_of(const Recording& recording);

}  // namespace learning::learners
