// The advice on which cluster to rent, as text and tables, with its reasons.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "command_line/output_format.hpp"
#include "command_line/table.hpp"
#include "sim/advise/advice.hpp"
#include "sim/advise/advice_figures.hpp"
#include "sim/scenario/planning_file.hpp"

namespace sim::advise {

// Advice as a document: for people, as rows, as JSON.

/// All results of one file.
struct AdvisedPlan {
  std::string file;
  const scenario::Plan* plan;
  std::span<const Advised> arms;
  std::span<const JudgedBound> bounds;
  std::size_t width = std::string::npos;  ///< of lines of tables; `npos`: as long as they are
};

/// The text has for each arm the advice, a table of configurations by rank, and a table of searches, then the
/// bounds; the rows are one for each arm and configuration, by rank, times in seconds; the JSON has arms with
/// `configurations` and `searches`, and bounds.
/// @param advised  must outlive the document, with all that it points to
command_line::Document advice_document(const AdvisedPlan& advised);

// Advice as tables: configurations by rank, and searches side by side.

/// How times are written.
enum class TimeUnit { seconds, hours };

/// Rank, configuration, whether it was profiled, predicted and true time and cost, errors, reason.
command_line::Table configuration_table(const Advised& advised, TimeUnit unit);

/// The arm's own search, its baselines, the oracle, and the mean of all configurations.
command_line::Table search_table(const Advised& advised, TimeUnit unit);

// In which order an advice shows configurations, and one sentence of reason for each.

/// Indices of the grid: the advice first, then the others by what the objective looks at (for the knee the
/// product of time and cost); configurations beyond the limits come last.
std::vector<std::size_t> ranked(const Advised& advised);

/// Why the configuration is the advice, or is not, by the planner's predictions.
std::string reason(const Advised& advised, std::size_t index);

/// "rent 12 workers with a batch of 1024 samples: about 5.9 h and 9.5 USD".
std::string advice_sentence(const Advised& advised);

}  // namespace sim::advise
