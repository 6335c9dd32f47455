// Advice as a document: for people, as rows, as JSON.
#pragma once

#include <span>
#include <string>

#include "command_line/output_format.hpp"
#include "sim/advise/advice.hpp"
#include "sim/advise/advice_figures.hpp"
#include "sim/scenario/planning_file.hpp"

namespace sim::advise {

/// Everything that one file came to.
struct AdvisedPlan {
  std::string file;
  const scenario::Plan* plan;
  std::span<const Advised> arms;
  std::span<const JudgedBound> bounds;
};

/// The text has for each arm the advice, a table of configurations by rank, and a table of searches, then the
/// bounds; the rows are one for each arm and configuration, by rank, times in seconds; the JSON has arms with
/// `configurations` and `searches`, and bounds.
/// @param advised  what it points to must outlive the document
command_line::Document advice_document(const AdvisedPlan& advised);

}  // namespace sim::advise
