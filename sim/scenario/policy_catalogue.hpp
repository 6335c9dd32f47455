// The policies to choose from where a question names none, and what a mere name of one stands for.
#pragma once

#include "netmodels/result.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value.hpp"

namespace sim::scenario {

/// `advice` with every list written out: names become maps, and a list that is left out becomes the
/// catalogue. Where no live learner trains, nobody knows what local steps and policies that look at gradients
/// do, so the catalogue is then of bulk-synchronous training by fixed methods, without random-k, which keeps
/// too little of a gradient for anybody to assume that it costs no steps.
/// @param advice  a map
/// @param base    the training that is asked about
/// @param changes whether any of its networks changes with time
/// @returns the map, or an Error for a name that is not known
netmodels::Result<Value> write_out_catalogue(const Value& advice, const Scenario& base, bool changes);

}  // namespace sim::scenario
