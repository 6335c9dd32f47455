// What was found about a step, for people, CSV and JSON; and as a scenario that takes it over.
#pragma once

#include <filesystem>
#include <string>

#include "command_line/output_format.hpp"
#include "netmodels/result.hpp"
#include "sim/fit/step_fit.hpp"

namespace sim::fit {

/// Text: a table of unknowns with their range of 95 %, a table of measured and explained times, and notes.
/// Rows: the unknowns, values in base units.
command_line::Document fit_document(const StepFit& fit, const std::string& file);

/// A scenario that takes the assumed one as its base (`use`) and states the identified unknowns, each with
/// its range and what it rests on as a comment.
///
/// @param study  the assumed scenario
/// @param file   the measurements, named in the first comment
/// @returns the text, or an Error: where the time of compression belongs to an arm of `axes`; where host
/// overhead
///          far above what was assumed may be the time of a network that no figure tells
netmodels::Result<std::string> fit_overlay(const StepFit& fit, const scenario::Study& study,
                                           const std::string& file);

/// What an arm of a scenario states in place of an identified unknown, in the words of a warning; empty where
/// all measured arms take the fitted values over.
/// @param fitted  the scenario of `fit_overlay`, read
std::vector<std::string> overridden(const StepFit& fit, const scenario::Study& fitted);

}  // namespace sim::fit
