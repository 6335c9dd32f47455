// Keys that a scenario has at another place than the one at which they were written.
#pragma once

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// Names the right place in the hint of each unknown key that is a key elsewhere, and moves it there in the
/// remedy where only one place has it. Errors of names that differ from a known one by a letter or two stay.
/// @param error  with those that follow it
/// @param tree   one arm, or a scenario without arms
void name_right_places(netmodels::Error& error, const language::Value& tree);

}  // namespace sim::scenario
