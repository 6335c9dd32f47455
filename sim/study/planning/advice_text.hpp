// Advice printed: for people, as CSV, as JSON.
#pragma once

#include <span>
#include <string>

#include "sim/scenario/planning_file.hpp"
#include "sim/study/planning/advice.hpp"
#include "sim/study/planning/advice_figures.hpp"

namespace sim::study::planning {

/// Everything that one file came to.
struct AdvisedPlan {
  std::string file;
  const scenario::Plan* plan;
  std::span<const Advised> arms;
  std::span<const JudgedBound> bounds;
};

/// For each arm the advice, a table of configurations by rank, and a table of searches; then the bounds.
std::string advice_text(const AdvisedPlan& advised);

/// One row for each arm and configuration, by rank; times in seconds.
std::string advice_csv(const AdvisedPlan& advised);

/// One object with schema_version, arms with `configurations` and `searches`, and bounds.
std::string advice_json(const AdvisedPlan& advised);

}  // namespace sim::study::planning
