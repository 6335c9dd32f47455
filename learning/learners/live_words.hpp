// A live training in words.
#pragma once

#include <string>

#include "learning/learners/live_learner.hpp"
#include "learning/learners/record_file.hpp"

namespace learning::learners {

/// Line with model, data and optimizer, and whose model is tested.
std::string label_of(const LiveTraining& training);

/// Facts that a record states beside the steps; as far as settings are not the default ones, these too.
RecordFacts facts_of(const LiveTraining& training);

}  // namespace learning::learners
