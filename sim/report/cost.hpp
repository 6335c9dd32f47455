// The money that runs take, and the figure by which the arms of a study are ordered.
#pragma once

#include <optional>
#include <string>

#include "sim/report/simulated_study.hpp"

namespace sim::report {

/// Cost of all machines of an arm, for the expected time where `availability` states failures.
/// @param run  of the training, without failures that `availability` leads to expect
/// @returns nothing where machines have no price, or the run cannot be expected to end
std::optional<netmodels::Dollars> cost_of(const SimulatedArm& arm, netmodels::Seconds run);

/// Whether the cost decides between the arms of its study.
bool decides_by_cost(const SimulatedArm& arm);

/// What a second of the run counts for by the study's objective: 1 s, or USD. Infinite where the run cannot
/// be expected to end.
double weight_of_second(const SimulatedArm& arm);

/// Time or cost to the target, by the study's objective.
/// @param arm  that reaches it
double spent_to_target(const SimulatedArm& arm);

/// Whether the cost decides, and is infinite.
bool costs_without_end(const SimulatedArm& arm);

/// "12.31 USD", with four digits.
std::string usd_text(double dollars);

/// "0.0312 USD per 1000 samples".
/// @param dollars  of one sample
std::string sample_cost_text(double dollars);

}  // namespace sim::report
