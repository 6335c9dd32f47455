// Keys that a scenario has at another place than the one at which they were written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// Paths of the maps that have a key of this name, those nearest to the top; the scenario itself is "".
/// @returns null where none has
const std::vector<std::string>* maps_with_key(std::string_view name);

/// Names the right place in the hint of each unknown key that is a key elsewhere, and moves it there in the
/// remedy where only one place has it. Errors of names that differ from a known one by a letter or two stay.
/// @param error  with those that follow it
/// @param tree   one arm, or a scenario without arms
void name_right_places(netmodels::Error& error, const language::Value& tree);

}  // namespace sim::scenario
