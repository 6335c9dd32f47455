// Lost time of a step, for people, CSV and JSON.
#pragma once

#include <string>

#include "command_line/output_format.hpp"
#include "sim/fit/step_loss.hpp"

namespace sim::fit {

/// Text: how many workers' worth of work is done, tables of lost time, of ceilings and of changes that help.
/// Rows: all steps that were simulated, in base units.
/// @param loss  outlives the document
/// @param file  as named on the command line
command_line::Document step_loss_document(const StepLoss& loss, const std::string& file);

}  // namespace sim::fit
