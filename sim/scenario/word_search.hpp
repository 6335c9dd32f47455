// The search of other programs' names in a scenario.
#pragma once

#include <vector>

#include "netmodels/result.hpp"
#include "sim/language/value.hpp"

namespace sim::scenario {

/// An error for each key and value of the scenario that another program knows and a scenario does not, with
/// our key and value as its remedy.
/// @param root  one arm, or a scenario without arms
std::vector<netmodels::Error> find_words_of_others(const language::Value& root);

}  // namespace sim::scenario
